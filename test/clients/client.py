"""Places orders with the client that openapi-python-client made, and says of which class each answer is."""

import json
import os
import sys

sys.path.insert(0, sys.argv[1])

from gateway_client import AuthenticatedClient, Client  # noqa: E402
from gateway_client.api.account import get_funds  # noqa: E402
from gateway_client.api.orders import place_order  # noqa: E402
from gateway_client.api.session import get_status  # noqa: E402
from gateway_client.models import PlaceOrderRequest  # noqa: E402

url = os.environ["GATEWAY_URL"]
client = AuthenticatedClient(base_url=url, token=os.environ["GATEWAY_TOKEN"])


def place(symbol: str, token: str, key: str, quantity: int = 10):
    order = PlaceOrderRequest(
        symbol=symbol, token=token, exchange="NSE", transaction_type="BUY", order_type="MARKET",
        product_type="INTRADAY", quantity=quantity, idempotency_key=f"python-{key}", strategy="clients",
    )
    return place_order.sync(client=client, body=order)


def name(answer) -> str:
    return type(answer).__name__


filled = place("SBIN", "779521", "in")
blocked = place("SBIN", "779521", "again")
rejected = place("NOSUCH", "1", "none")
print(json.dumps({
    "root": f"{name(get_status.sync(client=Client(base_url=url)))}",
    "funds": f"{name(get_funds.sync(client=client))}",
    "filled": f"{name(filled)} {filled.fill_status} {filled.filled_quantity:g}",
    "blocked": f"{name(blocked)} {blocked.fill_status} {blocked.status}",
    "rejected": f"{name(rejected)} {rejected.fill_status}",
    "invalid": f"{name(place('SBIN', '779521', 'zero', 0))}",
}))
