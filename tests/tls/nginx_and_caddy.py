"""nginx and Caddy in front of a house, configured by the words of docs/howto/tls.md."""

import re
from pathlib import Path

from tests.servers.server_base_class import Server

GUIDE = Path(__file__).parents[2] / "docs" / "howto" / "tls.md"
NGINX = """\
daemon off;
pid {folder}/nginx.pid;
error_log stderr;
events {{}}
http {{
access_log off;
client_body_temp_path {folder}/body;
proxy_temp_path {folder}/proxy;
fastcgi_temp_path {folder}/fastcgi;
uwsgi_temp_path {folder}/uwsgi;
scgi_temp_path {folder}/scgi;
{servers}
}}
"""


class Proxy(Server):
    """A proxy that listens on all networks of this machine."""

    def __init__(self, name: str, certificates: Path) -> None:
        super().__init__()
        self.host, self.certificates, self.web_port = name, certificates, 0

    def answers(self) -> bool:
        return True  # its port accepts connections

    def configuration(self, first_words: str) -> str:
        """The guide's configuration that begins so, for this house."""
        blocks = re.findall(r"^```\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        text: str = next(block for block in blocks if block.startswith(first_words))
        text = text.replace("/etc/pitledger", str(self.certificates)).replace(
            "127.0.0.1:8000", f"127.0.0.1:{self.web_port}"
        )
        return text.replace("pit.example.org", self.host)


class Nginx(Proxy):
    name = "nginx"

    def command(self) -> list[str]:
        servers = self.configuration("server {").replace("listen 443 ", f"listen {self.port} ")
        secure = servers[: servers.index("server {", 1)]  # the other one leads from port 80
        path = self.folder / "nginx.conf"
        path.write_text(NGINX.format(folder=self.folder, servers=secure))
        return ["nginx", "-c", str(path), "-p", str(self.folder)]


class Caddy(Proxy):
    name = "caddy"

    def command(self) -> list[str]:
        site = self.configuration("pit.example.org {").replace(
            f"{self.host} {{", f"https://{self.host}:{self.port} {{", 1
        )
        path = self.folder / "Caddyfile"
        path.write_text("{\n  admin off\n  auto_https disable_redirects\n}\n" + site)
        return ["caddy", "run", "--config", str(path), "--adapter", "caddyfile"]
