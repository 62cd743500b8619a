"""The strategy of moving-average.ts in Python, with nothing but its standard library: HTTP for orders, server-sent events for prices and fills.

    GATEWAY_TOKEN=$(cat data/token) python3 moving_average.py NSE:SBIN 10

ROUNDS=3 ends it after three round trips; without it runs until Ctrl-C, and sells what it holds before it goes.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

BASE = os.environ.get("GATEWAY_URL", "http://127.0.0.1:5000")
TOKEN = os.environ.get("GATEWAY_TOKEN", "")
INSTRUMENT = sys.argv[1] if len(sys.argv) > 1 else "NSE:SBIN"
QUANTITY = int(sys.argv[2]) if len(sys.argv) > 2 else 10
ROUNDS = float(os.environ.get("ROUNDS", "inf"))
FAST, SLOW = int(os.environ.get("FAST", 8)), int(os.environ.get("SLOW", 21))
EXCHANGE, SYMBOL = INSTRUMENT.split(":", 1)


def request(path, body=None, headers=None, timeout=30):
    data = None if body is None else json.dumps(body).encode()
    given = {"Authorization": f"Bearer {TOKEN}", **({"Content-Type": "application/json"} if data else {}), **(headers or {})}
    return urllib.request.urlopen(urllib.request.Request(BASE + path, data, given), timeout=timeout)


def events(instruments):
    """(topic, data) of the stream, for ever: it goes on behind the last number it was told, whatever breaks on the way."""
    last = None
    while True:
        headers = {} if last is None else {"Last-Event-ID": last}
        try:
            # Three of its heartbeats: a connection that is silent for so long is dead.
            with request("/broker/stream?" + urllib.parse.urlencode({"instruments": ",".join(instruments)}), headers=headers, timeout=45) as stream:
                topic, data = "", ""
                for raw in stream:
                    name, _, value = raw.decode().rstrip("\n").partition(": ")
                    if name == "id":
                        last = value
                    elif name == "event":
                        topic = value
                    elif name == "data":
                        data += value
                    elif name == "":
                        if data:
                            yield topic, json.loads(data)
                        topic, data = "", ""
        except urllib.error.HTTPError as error:
            if error.code in (401, 422):
                raise SystemExit(error.read().decode())
        except OSError:
            pass
        time.sleep(1)


def place(side):
    """Places the order once: a repeat with the same key is answered with what became of the first. None where no order lives."""
    order = {
        "symbol": SYMBOL,
        "exchange": EXCHANGE,
        "token": "",
        "transaction_type": side,
        "order_type": "MARKET",
        "product_type": "INTRADAY",
        "quantity": QUANTITY,
        # A sale here only ever closes: it cannot open a short position.
        "reduce_only": side == "SELL",
        "strategy": "moving-average-python",
        "idempotency_key": str(uuid.uuid4()),
    }
    while True:
        try:
            with request("/broker/orders/place", order) as response:
                answer, again = json.load(response), response.headers.get("Retry-After")
        except urllib.error.HTTPError as error:
            if error.code == 422:
                raise SystemExit(error.read().decode())
            answer, again = {}, error.headers.get("Retry-After", "1")
        except OSError:
            # Whether it arrived is not known: the same key tells.
            answer, again = {}, "1"
        if answer.get("success") or answer.get("fill_status") == "REJECTED":
            return answer if answer["success"] else print(answer.get("status", "REJECTED"), answer.get("message"))
        time.sleep(float(again or 1))


def wait_for_fill(order_id):
    """The order's row once it has traded; the order itself is asked, so that nothing the stream says is taken for more than news."""
    while True:
        with request(f"/broker/orders/{urllib.parse.quote(order_id, safe='')}") as response:
            row = json.load(response).get("normalized")
        if row and row["state"] in ("FILLED", "REJECTED", "CANCELLED", "EXPIRED"):
            return row
        time.sleep(0.5)


def trade(side):
    """True when the order filled."""
    answer = place(side)
    if answer is None:
        return False
    row = wait_for_fill(answer["order_id"])
    print(side, row["filled_quantity"], INSTRUMENT, "at", row["average_price"], row["state"], flush=True)
    return row["state"] == "FILLED"


def main():
    prices, holding, was_above, done = [], False, None, 0
    try:
        for topic, data in events([INSTRUMENT]):
            if topic != "tick" or data["last_price"] is None:
                continue
            prices = (prices + [data["last_price"]])[-SLOW:]
            if len(prices) < SLOW:
                continue
            is_above = sum(prices[-FAST:]) / FAST > sum(prices) / SLOW
            crossed, was_above = was_above is not None and is_above != was_above, is_above
            if not crossed or is_above == holding:
                continue
            if trade("BUY" if is_above else "SELL"):
                holding = is_above
                done += 0 if holding else 1
            if done >= ROUNDS:
                break
    except KeyboardInterrupt:
        pass
    if holding:
        trade("SELL")


main()
