"""Languages: their function words, and detection of the language of a text."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

DEFAULT_LANGUAGE = "english"

STOP_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "english": "a about according all also am an and any are as asked at be been being between but by can could did do "
        "does doing each for from give given had has have having he her here his how i if in into is it its itself "
        "list many may me might much must my of on only or other our out over per please shall she should show so some "
        "such tell than that the their them then there these they this those through to under up upon us very was we "
        "were what when where whether which while who whom whose why will with within would you your",
        "german": "aber als am an auch auf aus bei bin bis das dass dem den der des die dies diese dieser dieses durch ein "
        "eine einem einen einer eines er es für gibt hat haben ich ihr im in ist kann mit nach nicht oder sein sich sie "
        "sind so über um und von vor wann war warum was welche welchem welchen welcher welches wenn wer werden wie wieviel "
        "viel viele wird wo wurde zu zum zur",
        "french": "a au aux avec ce ces cette combien comment dans de des du elle en est et eu il ils je la le les leur lui "
        "mais ne nous on ou où par pas pour pourquoi qu quand que quel quelle quelles quels qui quoi sa se ses son sont "
        "sur un une vous à été être",
        "spanish": "a al como cual cuales cuando cuanta cuantas cuanto cuantos cuál cuáles cuándo cuánta cuántas cuánto "
        "cuántos cómo de del donde dónde el ella en era es esta este esto ha han hay la las lo los más no o para pero por "
        "porque que quien quién qué se ser si sin sobre son su sus también un una uno y",
        "italian": "a ad al alla che chi come con cosa cui da dal dalla de dei del della delle di dove e ed era gli ha i il "
        "in io la le lo ma ne nel nella non o per perché più qual quale quali quando quanta quante quanti quanto se si "
        "sono su sul tra un una uno è",
        "portuguese": "a ao aos as com como da das de do dos e ela ele em era essa esse esta este foi há mais mas na nas no "
        "nos não o onde os ou para pela pelo por porque qual quais quando quanta quantas quanto quantos que quem se ser "
        "seu sua são também um uma é",
        "dutch": "aan als bij dat de deze die dit door een en er had heb het hij hoe hoeveel ik in is je kan maar met na "
        "naar niet of om onder ook op over te tot uit van veel voor waar waarom wanneer was wat welk welke wie wordt zijn ze",
        "russian": "а без бы был была были было быть в вы где да для до его ее если есть же за и из или их к как какая какие "
        "какое какой ко когда кто ли мы на не но о об он она они от по почему при с сколько со так то у что чем это я",
        "swedish": "att av de den det detta du där en ett från för ha han har hon hur hur i inte jag kan med men mycket många "
        "när och om på sig som så till under var varför vad vem vid vilka vilken vilket än är",
        "danish": "af at da de den der det dette du en er et for fra ham han har hun hvad hvem hvilke hvilken hvilket hvor "
        "hvordan hvorfor hvornår i ikke jeg kan mange med meget men når og om på som til under var ved",
        "norwegian": "av at da de den der det dette du en er et for fra han har hun hva hvem hvilke hvilken hvilket hvor "
        "hvordan hvorfor når i ikke jeg kan mange med mye men og om på som til under var ved",
        "finnish": "ei ehkä että hän ja jos joka jotka kuin kuinka kuka mikä millainen milloin minkä missä mitkä mitä moni "
        "mukaan mutta myös ne niin olla on oli ovat se sekä sen tai tämä vain voi",
        "polish": "a ale być był była było co czy dla do gdzie i ich ile jak jaka jaki jakie jego jej jest już kiedy kto która "
        "które który lub na nie o od oraz po przez przy się są ta tak to w z za że",
        "czech": "a aby ale až být byl byla bylo co do i jak jaká jaké jaký je jeho její jsou k kde kdo kdy kolik která které "
        "který na nebo o od po pro proč při s se si ta tak to u v z za že",
        "turkish": "ama bir bu da daha de en gibi hangi için ile kaç kim mi mu ne neden nasıl nerede olan olarak ve veya ya "
        "zaman çok şu",
        "hungarian": "a az egy és hogy ez is nem de mi mit miért mikor hol hogyan ki kinek mennyi hány melyik milyen van volt "
        "lesz csak már még meg vagy",
        "romanian": "a al ale am ar care ce cine cu cum când câte cât câți de din este eu fi în la nu o pe pentru prin sau se "
        "sunt să un una unde și",
        "greek": "αν από για δεν είναι και κατά με να οι ποια ποιο ποιος πότε που πού προς πως πώς πόσο σε στη στην στο στον "
        "τα τη την της τι το τον του των ως ή η ο",
        "indonesian": "ada adalah apa apakah atau bagaimana berapa dan dapat dari dengan di dalam ini itu kapan ke kepada "
        "mana mengapa oleh pada siapa telah untuk yang",
        "arabic": "في من على إلى عن ما ماذا متى أين كيف كم هل هو هي هذا هذه ذلك التي الذي و أو أن إن لا لم لن مع كان",
        "hindi": "और का की के को क्या कब कहाँ कैसे कौन कितना कितने किस में पर से है हैं था थे यह वह ने भी नहीं तो",
    }.items()
}
"""Function and question words by language. They are not searched for, and identify the language of a text. The lists are short on
purpose: a word that may carry meaning stays searchable."""

DETECTION_CHARACTERS = 200_000
"""Characters at the beginning of a text by which its language is detected."""


def known_languages() -> tuple[str, ...]:
    """Returns the languages that are detected and have stemming rules of their own, sorted."""
    return tuple(sorted(STOP_WORDS))


def detect_language(text: str) -> str:
    """Returns the language whose function words are the most frequent in `text`; English where there are none."""
    words = Counter(re.findall(r"[^\W\d_]+", unicodedata.normalize("NFKC", text[:DETECTION_CHARACTERS]).lower()))
    shares = {language: sum(words[word] for word in stop) for language, stop in STOP_WORDS.items()}
    best = max(shares, key=lambda language: (shares[language], language == DEFAULT_LANGUAGE))
    return best if shares[best] > shares[DEFAULT_LANGUAGE] else DEFAULT_LANGUAGE
