"""The jobs, in an order in which one house can have them all: no job uses the remains of another."""

from collections.abc import Callable

from tests.jobs import floor, progressives, rooms
from tests.jobs.people import House

JOBS: tuple[Callable[[House], None], ...] = (
    floor.sign_in_and_out,
    floor.sign_in_by_a_passkey,
    progressives.liability_and_what_if,
    progressives.change_and_agree,
    progressives.refuse,
    progressives.withdraw,
    progressives.agree_again_with_a_factor,
    progressives.come_back_to_a_form,
    progressives.pay_a_jackpot,
    progressives.declare_a_missed_hit,
    progressives.read_the_signs,
    progressives.open_a_progressive,
    floor.install_a_table,
    floor.correct_a_bet,
    floor.void_a_round,
    floor.limits_and_staff,
    floor.let_somebody_in,
    rooms.change_a_setting,
    rooms.work_the_cage,
    rooms.lead_a_table,
    rooms.count_a_box,
)
