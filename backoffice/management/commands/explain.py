"""`./manage.py explain HIT`: show how an amount was calculated, event by event."""

import hashlib
import json
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from backoffice.access import personal_data_access_log as access_log
from backoffice.access.issued_documents import CERTIFICATE, IssuedDocument, copies
from backoffice.management.house_command import HouseCommand, exit_code
from backoffice.wording import formats
from events.errors import Retry
from events.integrity.award_certificate import Certificate, certificate, encode
from events.integrity.head_signing import make_head
from events.integrity.signed_head_stores import open_heads
from events.progressives.award_report import Award, AwardDifference, Deed, award
from events.progressives.decider_base_functions import table_and_day
from events.settings.settings_from_environment import settings
from events.signing import house_signing_key
from events.store import EventStore, open_store
from tools import verify_certificate

SHOWN = 30  # contributions listed one by one; more than these are summed by table


class Command(HouseCommand):
    """Reads only; --export may have a head made, where this machine holds the key."""

    help = (
        "Show how the share of a hit was calculated: previous lock, every contribution by table and round, "
        "corrections, seed, shares, remainder, parameters and people. The sum can be checked by hand. --export "
        "writes a certificate that an outsider can verify, and lists it under issued documents. --verify FILE "
        "checks a certificate offline, as tools/verify_certificate.py does without Pitledger. Exit code 1: a "
        "certificate is not valid, a hit has no share, or an amount differs from the calculation. Exit code 2: "
        "something cannot be read."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("hit", nargs="?", help="the hit's name, as BJ1-2026-11-20-17-3")
        parser.add_argument("--all", action="store_true", help="list every contribution")
        parser.add_argument("--json", action="store_true", help="print everything as JSON")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--export", type=Path, metavar="FILE", help="write the certificate")
        what.add_argument("--verify", type=Path, metavar="FILE", help="check a certificate, without the store")
        parser.add_argument("--key", action="append", default=[], metavar="HEX", help="the house's public key")
        parser.add_argument("--by", default="", metavar="PERSON", help="the person who issues the certificate")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["verify"]:
            self._verify(options)
            return
        if not options["hit"]:
            raise CommandError("Name a hit, or a certificate with --verify.", returncode=2)
        with closing(open_store(settings().store)) as store, exit_code(1):
            if options["export"]:
                self._export(store, options["hit"], options["export"], options["by"])
            else:
                self._show(award(store, settings().property_, options["hit"]), options)

    def _show(self, award: Award, options: dict[str, Any]) -> None:
        access_log.from_terminal(access_log.PERSON, f"explain {options['hit']}", self.stderr.write)
        if options["json"]:
            self.write_json(award)
        else:
            self.stdout.write("\n".join(award_lines(award, whole=options["all"])))
        if award.differences:
            text = "; ".join(difference(mismatch, award.currency) for mismatch in award.differences)
            raise CommandError(f"The recorded amounts differ from the calculation: {text}. Run `verify`.", returncode=1)

    def _export(self, store: EventStore, hit: str, path: Path, by: str) -> None:
        heads, property_ = open_heads(settings().store), settings().property_
        try:
            document = certificate(store, heads, property_, hit)
        except Retry:
            if heads.last() is not None and not house_signing_key.is_there():
                raise  # the house's key is elsewhere, and no other may sign
            make_head(store, heads, property_, house_signing_key.signer(), looked=access_log.end_if_known)
            document = certificate(store, heads, property_, hit)
        try:
            verify_certificate.verify(json.loads(encode(document)), sorted(house_signing_key.trusted()))
        except verify_certificate.CertificateError as why:
            raise CommandError(f"The certificate would not be valid: {why}", returncode=1) from why
        content = encode(document)
        paper = _paper(document, content)
        before = copies(paper.kind, paper.about)
        paper.record(by)
        access_log.from_terminal(access_log.CERTIFICATE, f"explain {hit} --export", self.stderr.write, by)
        path.write_bytes(content)
        if before:
            self.stdout.write(f"REPRINT, copy {before + 1}: an earlier copy was issued.")
        self.stdout.write(
            f"{path}: {len(document.range['leaves']):,} events listed, {len(document.events):,} shown; verified."
        )

    def _verify(self, options: dict[str, Any]) -> None:
        arguments = [
            str(options["verify"]),
            *(f"--key={key}" for key in options["key"] or sorted(house_signing_key.trusted())),
        ]
        arguments += ["--json"] * options["json"]
        if code := verify_certificate.main(arguments):
            sys.exit(code)


def _paper(document: Certificate, content: bytes) -> IssuedDocument:
    """Return the document's entry for the list of issued documents."""
    head = document.heads["after"]
    assert head is not None
    return IssuedDocument(CERTIFICATE, document.hit, head["position"], hashlib.sha256(content).hexdigest(), head["key"])


def award_lines(award: Award, *, whole: bool) -> Iterator[str]:
    """Yield the award for a person: a column of amounts that add up, and the people of each decision."""
    why, unit = award.explanation, 1_000_000 // award.explanation.scale

    def money(micro: int) -> str:
        return formats.ascii_signs(formats.micro(micro, award.currency))

    def row(units: int, text: str) -> str:
        return f"{money(units * unit):>24}  {text}"

    yield f"{why.hit}: {why.level} of {award.progressive}, {why.status}; amounts in {award.currency}"
    yield f"table {award.table}, {award.gaming_day}, round {award.round}, box {award.box}, player {award.player}"
    yield f"policy {why.policy} version {why.policy_version}, parameters version {why.parameters_version}"
    yield row(why.opening, "left by the previous lock" if why.previous else "at the opening")
    if whole or len(why.contributions) <= SHOWN:
        for contribution in why.contributions:
            how = f"{money(contribution.stakes_minor * 1_000_000)} x {contribution.feed} millionths"
            yield row(
                contribution.amount,
                f"{_table(contribution.table)} round {contribution.round}: {how} (position {contribution.at})",
            )
    else:
        for table in sorted({contribution.table for contribution in why.contributions}):
            amounts = [contribution.amount for contribution in why.contributions if contribution.table == table]
            yield row(sum(amounts), f"{_table(table)}: {len(amounts):,} rounds (--all lists them)")
    for correction in why.adjustments:
        yield row(correction.amount, f"corrected: {correction.reason} (position {correction.at})")
    yield row(why.lock.meter, f"the meter at the hit, position {why.lock.at}")
    if why.lock.cap is not None:
        yield row(why.lock.cap, "the cap in force")
    yield row(why.lock.amount * why.scale, "given by the meter")
    yield row(why.lock.house * why.scale, "given by the house")
    for share in why.shares:
        where = f"{_table(share.table)} round {share.round}"
        yield row(share.share_minor * why.scale, f"to {share.player} for {share.hit} at {where}: {share.status}")
    yield row(why.remainder, "cannot be shared: it stays on the meter")
    yield row(why.lock.seed, f"the seed, {money(why.lock.from_reserve * unit)} of it from the reserve")
    yield row(why.after, "the meter after it")
    yield from (_deed_line(deed, award.currency) for deed in award.deeds)


def difference(mismatch: AwardDifference, currency: str) -> str:
    """Return a mismatch in words: the stated and the computed amount."""
    stated, computed = (
        formats.ascii_signs(formats.money(amount, currency)) for amount in (mismatch.said_minor, mismatch.made_minor)
    )
    return f"{mismatch.what} {stated} {currency} at position {mismatch.position}, the facts make {computed}"


def _table(stream: str) -> str:
    """Return table and gaming day in words."""
    return " ".join(table_and_day(stream)).strip()


def _deed_line(deed: Deed, currency: str) -> str:
    """Return a deed in words: person, approvals, and the house's own money."""
    agreed = ", ".join(f"{person} ({role})" for person, role in deed.approvals)
    remarks = [f"agreed by {agreed}"] if agreed else []
    if deed.type.startswith("house") and deed.amount_minor is not None:
        remarks += [f"{formats.ascii_signs(formats.money(deed.amount_minor, currency))} beside the meter"]
    remarks += [f"to {deed.player}"] if deed.player and deed.type.startswith(("envy", "house")) else []
    remarks += [f"of {deed.hit}"] if deed.hit else []
    remarks += [f"slip {deed.slip}"] if deed.slip else []
    if deed.withheld_minor:
        remarks += [f"{formats.ascii_signs(formats.money(deed.withheld_minor, currency))} withheld by law"]
    remarks += [f"form {deed.form}"] if deed.form else []
    return "  ".join([f"{deed.position:>10} {deed.time} {deed.type}", f"by {deed.actor} ({deed.role})", *remarks])
