"""Words for the events and actions of progressives."""

from events.text.translation_marker import translatable as _

WORDS = {
    # events
    "progressive.opened": _("progressive opened"),
    "shares.locked": _("shares awarded"),
    "lock.withdrawn": _("award withdrawn"),
    "level.waiting": _("award waits for the deal"),
    "hit.authorised": _("share authorised"),
    "hit.voided": _("hit voided"),
    "jackpot.paid": _("jackpot paid"),
    "envy.paid": _("envy bonus paid"),
    "house.paid": _("house payment made"),
    "house.voided": _("house payment voided"),
    "parameters.changed": _("parameters changed"),
    "meter.adjusted": _("meter corrected"),
    "meter.read.v1": _("sign read"),
    "variance.opened": _("reading variance found"),
    "variance.closed": _("reading variance closed"),
    "increment.tested": _("increment tested"),
    "fund.deposited": _("deposit recorded"),
    "notice.acknowledged": _("notice read"),
    # actions
    "progressive.open": _("open progressive"),
    "hit.authorise": _("authorise share"),
    "hit.void": _("void hit"),
    "jackpot.pay": _("pay jackpot"),
    "house.pay": _("pay from house funds"),
    "house.void": _("void house payment"),
    "parameters.change": _("change parameters"),
    "meter.adjust": _("correct meter"),
    "meter.read": _("read sign"),
    "increment.test": _("test increment"),
    "variance.close": _("close variance"),
    "fund.deposit": _("record deposit"),
    "fund.withdraw": _("record withdrawal"),
    "notice.acknowledge": _("confirm notice"),
    # ways out of a variance; tenders of a jackpot
    "way paid": _("paid out"),
    "way added": _("added to the meter"),
    "misread": _("misread, new reading recorded"),
    "transfer": _("transfer"),
    # reasons of a corrected meter, and why a lock is withdrawn
    "malfunction": _("malfunction"),
    "above-maximum": _("above the maximum"),
    "reserve-booked-as-receipts": _("reserve booked as receipts"),
    "seed-recovered": _("seed recovered"),
    "reading-variance": _("reading variance"),
    "pending": _("pending"),
    # how several winners of one round share
    "policy split": _("the winners share the amount"),
    "full-each": _("each winner gets the whole amount"),
    "sequential": _("one winner after another"),
    # tasks of accounting, and payments that differ from the due amount
    "parameters": _("new parameters"),
    "correction": _("corrected meter"),
    "reading": _("reading"),
    "test": _("increment test"),
    "late": _("late"),
    "paid otherwise": _("paid amount differs"),
    # states of a hit
    "locked": _("awarded"),
    "authorised": _("authorised"),
    "paid": _("paid"),
    "refused": _("refused"),
}
