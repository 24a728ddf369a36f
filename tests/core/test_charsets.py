"""Charsets: labels that lie, name too little or are missing; what is read is what was written."""

from app.core import charsets

WRITTEN = [
    ("您好，請聯繫我 囧", "gb18030", "gb2312"),
    ("①髙橋です。ありがとうございます。", "cp932", "shift_jis"),
    ("똠방각하 안녕하세요", "cp949", "ks_c_5601-1987"),
    ("สวัสดีครับ", "cp874", "windows-874"),
    ("שלום, נדבר מחר", "cp1255", "iso-8859-8-i"),
    ("“Quotes” – and €", "cp1252", "iso-8859-1"),
    ("Größe", "utf-8", "iso-8859-1"),
    ("Größe", "utf-8", "us-ascii"),
    ("Größe und Grüße, ja gerne", "cp1252", "utf-8"),
    ("Спасибо, давайте созвонимся во вторник.", "koi8-r", ""),
    ("Спасибо, давайте созвонимся во вторник.", "cp1251", "unknown-8bit"),
    ("Teşekkürler, salı günü görüşelim.", "cp1254", "x-unknown"),
    ("謝謝，我們週二談。", "big5", ""),
    ("ありがとうございます", "iso2022_jp", "us-ascii"),
    ("Ja, gerne", "utf-16", "utf-8"),
    ("Größe", "utf-8-sig", ""),
    ("plain", "ascii", "klingon"),
]


def test_what_was_written_is_read_whatever_the_label_says() -> None:
    read = [(charsets.decode(text.encode(charset), label), charset, label) for text, charset, label in WRITTEN]
    assert read == WRITTEN


def test_any_bytes_are_read_as_something() -> None:
    assert charsets.decode(bytes(range(256)) * 20, "utf-8")
    assert charsets.decode(b"", "base64") == ""
