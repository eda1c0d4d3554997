"""The addresses of the house and its proxies, as settings name them."""

import pytest

from events.errors import Invalid
from events.settings import settings_from_environment
from events.settings.network_address_parsing import addresses, proxies


@pytest.mark.parametrize(
    ("text", "origins"),
    [
        ("https://pit.example.org", ["https://pit.example.org"]),
        ("https://PIT.Example.org:443/", ["https://pit.example.org"]),
        ("https://pit.example.org:8443", ["https://pit.example.org:8443"]),
        ("https://a.example, https://b.example https://a.example/", ["https://a.example", "https://b.example"]),
        ("https://pit.example.org. ", ["https://pit.example.org"]),
        ("https://münchen.example", ["https://xn--mnchen-3ya.example"]),
        ("https://192.168.1.5", ["https://192.168.1.5"]),
        ("https://[FD00::0:5]:8443", ["https://[fd00::5]:8443"]),
        ("http://localhost:8000", ["http://localhost:8000"]),
        ("http://127.0.0.1", ["http://127.0.0.1"]),
        ("http://[::1]:8000", ["http://[::1]:8000"]),
    ],
)
def test_an_address_is_read_as_browsers_write_it(text: str, origins: list[str]) -> None:
    assert [address.origin for address in addresses(text)] == origins
    settings_ = settings_from_environment.read({"PITLEDGER_ADDRESS": text})
    assert (settings_.addresses, settings_.link) == (addresses(text), origins[0])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("http://pit.example.org", "is not encrypted: want https://pit.example.org. http is for localhost alone"),
        ("http://192.168.1.5:8000", "is not encrypted: want https://192.168.1.5"),
        ("pit.example.org", "is no address: want https://pit.example.org"),
        ("//pit.example.org", "is no address"),
        ("ftp://pit.example.org", "is no address"),
        ("https://", "is no address"),
        (",", "names no address"),
        ("https://*.example.org", "has no host name that can be used"),
        ("https://pit_1.example.org", "has no host name that can be used"),
        ("https://-pit.example.org", "has no host name that can be used"),
        ("https://1.2.3", "has no host name that can be used"),
        ("https://" + "a" * 64 + ".example", "has no host name that can be used"),
        ("https://0.0.0.0", "names no machine"),
        ("https://pit.example.org:0", "has no port that can be used"),
        ("https://pit.example.org:", "has no port that can be used"),
        ("https://pit.example.org:99999", "is no address: Port out of range"),
        ("https://pit.example.org:x", "is no address: Port could not be cast"),
        ("https://[::1", "is no address: Invalid IPv6 URL"),
        ("https://pit.example.org/floor", "names more than a host"),
        ("https://pit.example.org?x=1", "names more than a host"),
        ("https://pit.example.org#x", "names more than a host"),
        ("https://ada:x@pit.example.org", "names more than a host"),
        ("https://pit.example.org;https://b.example", "has no port that can be used"),
    ],
)
def test_a_wrong_address_is_refused_before_anything_is_done(text: str, why: str) -> None:
    with pytest.raises(Invalid, match=f"^PITLEDGER_ADDRESS: .*({why})"):
        settings_from_environment.read({"PITLEDGER_ADDRESS": f"https://good.example {text}" if text != "," else text})


def test_the_old_setting_of_the_link_counts_alone_and_must_agree() -> None:
    both = {"PITLEDGER_ADDRESS": "https://pit.example.org, https://b.example"}
    assert settings_from_environment.read({"PITLEDGER_MAIL_LINK": "https://old.example"}).link == "https://old.example"
    assert (
        settings_from_environment.read(both | {"PITLEDGER_MAIL_LINK": "https://PIT.example.org"}).link
        == "https://pit.example.org"
    )
    for other in ("https://b.example", "http://pit.example.org", "https://pit.example.org:8443"):
        with pytest.raises(Invalid, match=r"differs from https://pit\.example\.org, the first of PITLEDGER_ADDRESS"):
            settings_from_environment.read(both | {"PITLEDGER_MAIL_LINK": other})


def test_proxies_are_networks_and_names() -> None:
    proxies_ = proxies("10.20.0.0/24, ::1 Proxy proxy.example")
    assert ([str(network) for network in proxies_.networks], proxies_.names) == (
        ["10.20.0.0/24", "::1/128"],
        ("proxy", "proxy.example"),
    )


@pytest.mark.parametrize("text", ["10.0.0.1/8", "10.0.0.0/33", "300.1.1.1", "*", "pro_xy", "0.0.0.0/0", "::/0", "a/b"])
def test_a_proxy_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match=r"^PITLEDGER_PROXIES: .*(want|names every machine)"):
        settings_from_environment.read({"PITLEDGER_PROXIES": text})
