"""Encodings of short files of names, and labels of letters and pages that lie, name too little or are missing."""

from app.core import text_encodings

NAMES = {
    "Jürgen Müller,Straße,Köln\nGünther Weiß,Größe,München": ("cp1252", "mac_roman", "cp850", "iso8859_15"),
    "Hélène Lefèvre,Société Générale,Besançon\nFrançois Noël,Orléans": ("cp1252", "mac_roman", "cp850"),
    "José Núñez,Compañía,Málaga\nMaría Peña,Diseño,León": ("cp1252", "mac_roman", "cp850"),
    "Hélène,Müller & Söhne,“Zoë” – Straße,José O’Brien,Øyvind Håkon,João Conceição": ("cp1252", "mac_roman"),
    "Łukasz Wójcik,Żabka Polska,Łódź\nStanisław Dąbrowski,Gdańsk": ("cp1250", "iso8859_2", "cp852"),
    "Jiří Dvořák,Škoda Auto,Plzeň\nTomáš Novák,ředitel,Brno": ("cp1250", "iso8859_2"),
    "Gergő Szűcs,Ügyvezető,Győr\nÁgnes Kővári,Főnök,Pécs": ("cp1250",),
    "Иван Петров,Директор,Москва\nАнна Сидорова,Менеджер": ("cp1251", "koi8_r", "mac_cyrillic", "cp866", "iso8859_5"),
    "Олексій Шевченко,Керівник,Київ\nЇжак Іван,Львів": ("cp1251", "koi8_u"),
    "Γιώργος Παπαδόπουλος,Διευθυντής,Αθήνα\nΕλένη Νικολάου": ("cp1253", "iso8859_7"),
    "Şükrü Yıldız,Müdür,İstanbul\nGökçe Çağlar,Eskişehir": ("cp1254",),
    "דוד כהן,מנהל,תל אביב\nשרה לוי,סמנכל,חיפה": ("cp1255",),
    "محمد علي,مدير,القاهرة\nفاطمة حسن,رئيس,دبي": ("cp1256",),
    "Jānis Bērziņš,Rīga,vadītājs\nĄžuolas Šimkus,Vilnius": ("cp1257",),
    "สมชาย ใจดี,บริษัท,กรุงเทพ\nสมหญิง,ผู้จัดการ,เชียงใหม่": ("cp874",),
    "山田太郎,株式会社東京,代表取締役\n佐藤花子,ソニー,部長": ("cp932", "euc_jp"),
    "王小明,腾讯科技有限公司,总经理\n李华,阿里巴巴集团,工程师": ("gbk", "gb18030"),
    "陳大文,台灣積體電路,總經理\n林小姐,聯發科技,工程師": ("big5",),
    "김철수,삼성전자,대표이사\n이영희,네이버,부장": ("cp949", "euc_kr"),
}
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


def test_names_are_read_in_the_encoding_in_which_they_are_words_of_a_language() -> None:
    """The name of the encoding may be another one that reads them alike."""
    wrong = []
    for names, written in NAMES.items():
        for encoding in written:
            raw = f"First Name,Company,City\n{names}".encode(encoding)
            found = text_encodings.detect(raw)
            if not found or raw.decode(found) != raw.decode(encoding):
                wrong.append((names, encoding, found))
    assert wrong == []


def test_every_encoding_that_is_offered_is_one_of_python() -> None:
    for name in text_encodings.labels():
        assert "a".encode(name)


def test_what_was_written_is_read_whatever_the_label_says() -> None:
    read = [(text_encodings.decode(text.encode(charset), label), charset, label) for text, charset, label in WRITTEN]
    assert read == WRITTEN


def test_any_bytes_are_read_as_something() -> None:
    assert text_encodings.decode(bytes(range(256)) * 20, "utf-8")
    assert text_encodings.decode(b"", "base64") == ""
