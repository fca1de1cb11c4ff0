"""Writes a candidate answer plainly: LaTeX, Markdown, HTML and Unicode become a small ASCII alphabet.

The plain text holds words, numbers, brackets, commas and these signs: ``* / ^ + - = % < >``, ``~`` (about
equal), ``->`` (leads to), ``...``, ``≤ ≥ ≠ ±``, and GLUE, a comma that does not separate elements (``1{,}234``).
A command that changes a value and is not known here stays as ``\\name``; readers refuse a backslash, so that
``\\sqrt{49}`` is never read as 49.
"""

from __future__ import annotations

import html
import re
import unicodedata

from bench.grading.words import words

# No answer is longer; longer candidates are not read, which bounds the cost of every later step.
MAX_LENGTH = 16_384
GLUE = "\N{ARABIC THOUSANDS SEPARATOR}"

_PLAIN = re.compile(r"[\w\s.,;:+()\[\]/%<>=-]*", re.ASCII)


def normalise(text: str) -> str:
    """Return the candidate in the plain alphabet with single spaces; ``""`` where it is too long to be an answer."""
    if len(text) > MAX_LENGTH:
        return ""
    if not _PLAIN.fullmatch(text) or "__" in text or "<" in text:
        if "~" in text:
            text = _TIE.sub(" ", text)
        if not text.isascii():
            text = _to_ascii(text)
        if "&" in text:
            text = html.unescape(text)
            text = text if text.isascii() else _to_ascii(text)
        text = _without_latex(_without_markup(text))
    return " ".join(text.split()) if len(text) <= 2 * MAX_LENGTH else ""  # a character may stand for several


# --- Unicode ------------------------------------------------------------------------------------------------

_SIGNS = {
    "-": "\N{MINUS SIGN}\N{EN DASH}\N{EM DASH}\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{FIGURE DASH}\N{SMALL HYPHEN-MINUS}"
    "\N{FULLWIDTH HYPHEN-MINUS}\N{HEAVY MINUS SIGN}\N{HORIZONTAL BAR}\N{SUPERSCRIPT MINUS}\N{HYPHEN BULLET}",
    "*": "×·∙⋅•✕✖∗",
    "/": "÷⁄∕",
    "~": "≈≃≅≐∼",
    "=": "≡",
    "->": "→⇒⟶⟹➔➜↦",
    "≤": "⩽≦",
    "≥": "⩾≧",
    ",": "、،",
    '"': "“”„«»",
    "'": "‘’′",
    "...": "…⋯",
    GLUE: GLUE,
    ".": "。٫",
    "/100": "¢",
}
_TRANSLATION = str.maketrans({char: sign for sign, chars in _SIGNS.items() for char in chars})
_KEPT = frozenset("≤≥≠±√°" + GLUE)
# The look-behind tries each run of digits once, at its beginning.
_SLASHED = re.compile("(?<![⁰¹²³⁴⁵⁶⁷⁸⁹])([⁰¹²³⁴⁵⁶⁷⁸⁹]+)[⁄/∕]([₀-₉]+)")
_SUPERSCRIPT = re.compile("[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_VULGAR = re.compile("[¼½¾⅐-⅞↉]")
_OVERLINED = re.compile("(?:\\d[\N{COMBINING OVERLINE}\N{COMBINING MACRON}\N{COMBINING DOT ABOVE}])+")


def _to_ascii(text: str) -> str:
    """Return the text with digits, signs and spaces of every script in ASCII, invisible characters dropped."""
    text = _SLASHED.sub(lambda m: f" {unicodedata.normalize('NFKC', f'{m[1]}/{m[2]}')} ", text)
    text = _SUPERSCRIPT.sub(lambda m: "^" + unicodedata.normalize("NFKC", m.group()), text)
    text = _VULGAR.sub(lambda m: f" {unicodedata.normalize('NFKC', m.group())} ", text)
    text = _OVERLINED.sub(lambda m: f"({''.join(c for c in m.group() if c.isdigit())})", text)
    text = unicodedata.normalize("NFKC", text.translate(_TRANSLATION)).translate(_TRANSLATION)
    return "".join(char if char < "\x80" or char in _KEPT else _plain_character(char) for char in text)


def _plain_character(char: str) -> str:
    """Return the ASCII stand-in for one character outside ASCII, or itself if it is a letter or sign."""
    category = unicodedata.category(char)
    if category == "Nd":
        return str(unicodedata.decimal(char))
    if category[0] == "Z":
        return " "
    return "" if category[0] in "CM" else char  # controls, marks: nothing that a reader sees


# --- Markdown and HTML ----------------------------------------------------------------------------------------

_TAG = re.compile(
    r"</?(?:a|answer|b|br|code|div|em|final_answer|font|i|li|mark|ol|p|pre|s|small|span|strong|sub|sup|td|th|tr|u|ul|result)"
    r"(?:\s[^<>]{0,200})?/?>|</?[a-z][a-z_]{1,40}>",
    re.IGNORECASE,
)
_PYTHON_POWER = re.compile(r"(?<=\d)\*\*(?=[-(\d])")
_EMPHASIS = re.compile(r"(?<![\w*)\]])\*(?=[^\s*])([^*\n]{1,200})(?<=\S)\*(?![\w*(\[])")
_TIE = re.compile(r"(?<=[^\s=~])~(?!~)")  # LaTeX's space; at the beginning of a word `~` says "about"
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~")
_NOT_SAID = str.maketrans({"`": "", "$": ""})
# An under-escaped `\text` or `\times` was decoded to a tab and the rest of its name.
_EATEN = re.compile(r"[\t\f\x08](?=(?:ext|imes|rac|oxed|box|extbf)\b)")
_EATEN_LETTER = {"\t": "\\t", "\f": "\\f", "\x08": "\\b"}


def _without_markup(text: str) -> str:
    text = _EATEN.sub(lambda m: _EATEN_LETTER[m.group()], text)
    text = _PYTHON_POWER.sub("^", text).replace("**", "").replace("__", "")
    text = _STRUCK.sub("", text).replace("~~", "")
    if "*" in text:
        text = _EMPHASIS.sub(r"\1", text)
    if "<" in text:
        text = _TAG.sub(" ", text).replace("<=", "≤").replace(">=", "≥")
    return text.replace("\\$", "").translate(_NOT_SAID)


# --- LaTeX ----------------------------------------------------------------------------------------------------

_COMMANDS: dict[str, str] = {}
for _meaning, _names in {
    "": "left right big Big bigl bigr Bigl Bigr bigg Bigg biggl biggr displaystyle textstyle scriptstyle large Large "
    "LARGE huge Huge small normalsize tiny text textbf textit textrm textsf texttt textnormal textsc mathrm mathbf "
    "mathit mathsf mathtt mathcal mathbb mathnormal boldsymbol bm pmb bf rm it sf tt bfseries em emph mbox hbox fbox "
    "framebox boxed Boxed box underline underbrace operatorname mathop mathbin mathrel mathord mathpunct mathopen "
    "mathclose mathinner bbox vec hat widehat overrightarrow overleftarrow ensuremath textdollar mathdollar "
    "allowbreak pounds euro yen therefore checkmark num limits strut square blacksquare Box qed "
    "hline toprule midrule bottomrule label nobreak negthinspace lq rq prime noindent centering",
    " ": "quad qquad thinspace medspace thickspace enspace space hfill hfil newline par cr nonumber item linebreak",
    "*": "times cdot ast cdotp",
    "/": "div over slash",
    ">": "gt gg greater textgreater",
    "<": "lt ll less textless",
    "-": "minus textminus",
    ":": "colon",
    "T": "top intercal",
    "≥": "ge geq geqslant geqq",
    "≤": "le leq leqslant leqq",
    "≠": "ne neq",
    "=": "eq equiv in coloneqq",
    "~": "approx approxeq simeq cong sim doteq",
    "±": "pm mp",
    "->": "to rightarrow longrightarrow Rightarrow Longrightarrow implies mapsto longmapsto xrightarrow hookrightarrow",
    " infinity ": "infty",
    "...": "ldots dots cdots dotsc dotsb dotso vdots",
    "[": "lbrace lbrack langle lgroup",
    "]": "rbrace rbrack rangle rgroup",
    "%": "percent",
    "'": "textquotesingle",
    "not ": "not neg lnot",
    ", ": "and cup",
    "°": "circ degree textdegree",
}.items():
    _COMMANDS |= dict.fromkeys(words(_names), _meaning)
_FRACTIONS = frozenset({"frac", "dfrac", "tfrac", "cfrac", "sfrac", "nicefrac", "flatfrac"})
_QUANTITIES = frozenset({"SI", "qty"})  # a number and its unit
_DECIMALS = frozenset(".,0123456789" + GLUE)
_REPEATING = frozenset({"overline", "bar", "dot", "overbar", "overdot"})
# The first argument of these is no part of what is read.
_GAPS = frozenset({"hspace", "vspace"})  # silent, and a space
_SILENT = frozenset(
    words(
        "color textcolor colorbox hphantom phantom begin end label tag fontsize vphantom raisebox si "
        "unit mathchoice footnote cite ref"
    )
)
_ESCAPES = {"{": "[", "}": "]", "\\": ", ", "!": "", "(": "", ")": "", "[": "", "]": "", "$": "", "#": "", "/": ""}
_SPACES = frozenset(",;: \n\t")

_DOTTED = re.compile(r"\\dot\s?(?:\{(\d)\}|(\d))(\d{0,300})\\dot\s?(?:\{(\d)\}|(\d))")  # the ends of what repeats
_LOOSE_GROUP = re.compile(r"(?<=\d)\{,\}(?=\s+[-+]?\d)")  # a comma before a space separates
_TEN = re.compile(r"_\{?(?:\\(?:text|mathrm)\{)?\(?(?:10|ten)\)?\}{0,2}(?!\w)")  # the base of ordinary numbers
_LONE_DIGIT = re.compile(r"(?<=\d\.)\{(\d{1,9})\}")
_PLAIN_FRACTION = re.compile(r" \((\d+)\)/\((\d+)\)(?![\d.(^])", re.ASCII)
_TOKEN = re.compile(r"\\[a-zA-Z]+\*?|\\.|[{}]|[^\\{}]+|\\", re.DOTALL)
# Arguments that are no part of what is read: the columns of an array, a colour's model.
_COLUMNS = re.compile(r"(\\begin\{(?:array|tabular)\})(?:\[[^\[\]]{0,20}\])?\{[^{}]{0,200}\}")
_OPTION = re.compile(r"(\\(?:color|textcolor|colorbox|bbox|raisebox|SI|qty))\[[^\[\]]{0,40}\]")
_BARE_FRACTION = re.compile(r"(?<![\\a-zA-Z])(?=[dt]?frac\{)")  # a lost backslash
_ROW_END = re.compile(r"\\\\(?=[a-zA-Z(\[{}])")


def _without_latex(text: str) -> str:
    """Return the text without LaTeX; linear, no recursion, however deep its groups nest."""
    if "\\" in text:
        # A backslash doubled by an encoder stands before a command; a row ends before a space or a number.
        text = _ROW_END.sub(r"\\", text)
        text = _DOTTED.sub(lambda m: f"({''.join(filter(None, m.groups()))})", text)
        text = _COLUMNS.sub(r"\1", _OPTION.sub(r"\1", text))
    if "_" in text:
        text = _TEN.sub("", text)
    if "{" in text:
        text = _LONE_DIGIT.sub(r"\1", _LOOSE_GROUP.sub(", ", text))
    if "frac{" in text:
        text = _BARE_FRACTION.sub(r"\\", text)
    text = text.replace("&", ", ")
    if "\\" not in text and "{" not in text and "}" not in text:
        return text
    writer = _Writer()
    for token in _TOKEN.findall(text.replace("{,}", GLUE).replace("{.}", ".").replace("{:}", ":")):
        writer.take(token)
    writer.end()
    return _PLAIN_FRACTION.sub(r" \1/\2", "".join(writer.out).replace("^°", "°"))


class _Writer:
    """Writes LaTeX tokens plainly: keeps open groups and what the next argument is for."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self._groups: list[tuple[str, str]] = []  # for each open group: what to write, and to expect, at its end
        self._expected = ""  # role of the next group or, for a fraction, character
        self._silent_from = 0  # depth of the group that is dropped; 0: none

    def end(self) -> None:
        """Note that the text ends before a fraction does."""
        if self._expected == "denominator":
            self.out.append(_UNFINISHED)

    def take(self, token: str) -> None:
        if token == "{":
            self._open()
        elif token == "}":
            self._close()
        elif self._silent_from:
            return
        elif token[0] == "\\":
            self._command(token[1:].rstrip("*") if len(token) > 2 else token[1:])
        else:
            self._text(token)

    def _open(self) -> None:
        role, self._expected = self._expected, ""
        self._note_overline(role)
        begin, *end = _GROUPS[role]
        self._groups.append((end[0], end[1]))
        if role == "silent" and not self._silent_from:
            self._silent_from = len(self._groups)
        if not self._silent_from:
            self.out.append(begin)

    def _note_overline(self, role: str) -> None:
        """Keep a bar or dot that is over no decimals, so that nothing is read: it says no number that repeats."""
        if role == "repeating" and "".join(self.out[-2:]).rstrip()[-1:] not in _DECIMALS:
            self.out.append(" \\overline ")

    def _close(self) -> None:
        if not self._groups:
            return  # a brace too many
        if self._expected == "denominator":
            self.out.append(_UNFINISHED)
        depth = len(self._groups)
        end, self._expected = self._groups.pop()
        if self._silent_from == depth:
            self._silent_from = 0
        elif not self._silent_from:
            self.out.append(end)

    def _command(self, name: str) -> None:
        if name in _FRACTIONS:
            self._expected = "numerator"
        elif name in _QUANTITIES:
            self._expected = "quantity"
        elif name in _REPEATING:
            self._expected = "repeating"
        elif name in _SILENT:
            self._expected = "silent"
        elif name in _GAPS:
            self.out.append(" ")
            self._expected = "silent"
        elif name.isascii() and name.isalpha():
            self.out.append(_COMMANDS.get(name, f" \\{name} "))
        else:
            self.out.append(" " if name in _SPACES else _ESCAPES.get(name, name))

    def _text(self, token: str) -> None:
        """Write text; a fraction without braces takes one character for each of its parts."""
        while self._expected and (token := token.lstrip()):
            begin, end, following = _GROUPS[self._expected]
            if self._expected == "silent":
                break
            self._note_overline(self._expected)
            self.out.append(begin + token[0] + end)
            self._expected, token = following, token[1:]
        if token:
            self._expected = ""
            self.out.append(token)


_UNFINISHED = "/ \\frac "  # a fraction without its denominator; readers refuse the backslash
# Role of a group: what is written at its beginning and its end, and the role of the group after it.
_GROUPS = {
    "": ("", "", ""),
    "numerator": (" (", ")", "denominator"),
    "denominator": ("/(", ")", ""),
    "repeating": ("(", ")", ""),
    "quantity": ("", "", "silent"),
    "silent": ("", "", ""),
}
