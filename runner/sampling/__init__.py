"""How a sample gets its text: requests, generations, samples and the driver's loop."""
