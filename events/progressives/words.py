"""Words for the events and actions of progressives."""

from events.text.translatable import marked as _

WORDS = {
    # what happened
    "progressive.opened": _("progressive opened"),
    "shares.locked": _("shares locked"),
    "lock.withdrawn": _("lock withdrawn"),
    "level.waiting": _("level waits for a deal"),
    "hit.authorised": _("share authorised"),
    "hit.voided": _("hit declared void"),
    "jackpot.paid": _("jackpot paid"),
    "envy.paid": _("envy bonus paid"),
    "house.paid": _("paid by the house"),
    "house.voided": _("payment by the house taken back"),
    "parameters.changed": _("parameters changed"),
    "meter.adjusted": _("meter corrected"),
    "meter.read.v1": _("sign read"),
    "variance.opened": _("variance found"),
    "variance.closed": _("variance closed"),
    "increment.tested": _("increment tested"),
    "fund.deposited": _("deposit recorded"),
    "notice.acknowledged": _("notice read"),
    # what people do
    "progressive.open": _("open a progressive"),
    "hit.authorise": _("authorise a share"),
    "hit.void": _("declare a hit void"),
    "jackpot.pay": _("pay a jackpot"),
    "house.pay": _("pay by the house"),
    "house.void": _("take back a payment by the house"),
    "parameters.change": _("change parameters"),
    "meter.adjust": _("correct a meter"),
    "meter.read": _("read a sign"),
    "increment.test": _("test an increment"),
    "variance.close": _("close a variance"),
    "fund.deposit": _("record a deposit"),
    "fund.withdraw": _("record a withdrawal"),
    "notice.acknowledge": _("say that a notice was read"),
    # ways out of a variance; tenders of a jackpot
    "way paid": _("paid out"),
    "way added": _("added to the meter"),
    "misread": _("misread, read again"),
    "transfer": _("transfer"),
    # reasons of a corrected meter, and why a lock is withdrawn
    "malfunction": _("malfunction"),
    "above-maximum": _("above its maximum"),
    "reserve-booked-as-receipts": _("reserve booked as receipts"),
    "seed-recovered": _("seed recovered"),
    "reading-variance": _("variance of a reading"),
    "pending": _("pending"),
    # how several winners of one round share
    "policy split": _("shared by the winners"),
    "full-each": _("each gets the whole"),
    "sequential": _("one after the other"),
    # what accounting is told or has to do; what was given otherwise than is due
    "parameters": _("new parameters"),
    "correction": _("corrected meter"),
    "reading": _("reading"),
    "test": _("increment test"),
    "late": _("late"),
    "paid otherwise": _("paid otherwise"),
    # what becomes of a hit
    "locked": _("locked"),
    "authorised": _("authorised"),
    "paid": _("paid"),
    "refused": _("refused"),
}
