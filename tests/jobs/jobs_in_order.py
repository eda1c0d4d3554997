"""The jobs, in an order in which one house can have them all: no job uses the remains of another."""

from collections.abc import Callable

from tests.jobs import count_and_cage_work, floor_work, jackpot_work
from tests.jobs.person_at_a_screen import HouseInBrowser

JOBS: tuple[Callable[[HouseInBrowser], None], ...] = (
    floor_work.sign_in_and_out,
    floor_work.sign_in_by_a_passkey,
    jackpot_work.liability_and_what_if,
    jackpot_work.change_and_agree,
    jackpot_work.refuse,
    jackpot_work.withdraw,
    jackpot_work.agree_again_with_a_factor,
    jackpot_work.come_back_to_a_form,
    jackpot_work.pay_a_jackpot,
    jackpot_work.declare_a_missed_hit,
    jackpot_work.read_the_signs,
    jackpot_work.open_a_progressive,
    floor_work.install_a_table,
    floor_work.correct_a_bet,
    floor_work.void_a_round,
    floor_work.limits_and_staff,
    floor_work.let_somebody_in,
    count_and_cage_work.change_a_setting,
    count_and_cage_work.work_the_cage,
    count_and_cage_work.lead_a_table,
    count_and_cage_work.count_a_box,
)
