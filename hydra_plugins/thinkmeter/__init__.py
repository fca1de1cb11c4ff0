"""This program's plugins for Hydra. Hydra imports these modules at every start: nothing heavy on top."""
