"""What the judges share: what they are given, what a cell must show, and the verdict they print."""

import json
import os
import signal
import socket
import sys
import threading
import time
from urllib.error import HTTPError
from urllib.parse import parse_qsl, urlsplit
from urllib.request import HTTPRedirectHandler, build_opener

CELL_SECONDS = 12
WAIT_SECONDS = 6

# The share every judge trades: NSE's token of it, a price that rests, and what the order is changed to.
SYMBOL, TOKEN, ISIN = 'SBIN', 3045, 'INE062A01020'
PRICE, QUANTITY = 790, 10
# Above what anybody asks for the share: fills at once.
PRICE_THAT_FILLS = 850
NEW_PRICE, NEW_QUANTITY = 791, 12


# Nobody outside is asked, whatever address an SDK still holds.
look_up = socket.getaddrinfo


def look_up_here(host, *rest, **options):
    name = host.decode() if isinstance(host, bytes) else host
    if name not in ('127.0.0.1', 'localhost', '::1', None):
        raise OSError(f'{name} is outside')
    return look_up(host, *rest, **options)


socket.getaddrinfo = look_up_here


class TimedOut(BaseException):
    """Not an Exception: SDKs swallow those."""


class Heard:
    """What a socket told, from whatever thread."""

    def __init__(self):
        self.messages = []
        self._news = threading.Condition()

    def tell(self, *message):
        with self._news:
            self.messages.append(message)
            self._news.notify_all()

    def wait_for(self, fits, what):
        """The first message that fits."""
        found = lambda: next((each for each in self.messages if fits(each)), None)
        with self._news:
            self._news.wait_for(found, WAIT_SECONDS)
            assert found() is not None, f'not heard: {what}; heard {shortened(self.messages[-3:])}'
            return found()

    def said(self, *words):
        """The first message whose text has all the words, in any case."""
        fits = lambda message: all(str(word).lower() in str(message).lower() for word in words)
        return self.wait_for(fits, ' '.join(str(word) for word in words))

    def priced(self, prices_of):
        """The first message with prices near that of the share, each above the one before: bids, last, asks."""

        def fits(message):
            try:
                prices = [float(price) for price in prices_of(*message)]
            except (TypeError, ValueError, KeyError, IndexError, AttributeError):
                return False
            return all(650 < price < 950 for price in prices) and prices == sorted(set(prices))

        return self.wait_for(fits, 'prices of ' + SYMBOL)


class Judge:
    def __init__(self):
        # SDKs print; the verdict alone goes to standard output.
        self._verdict = os.fdopen(os.dup(1), 'w')
        os.dup2(2, 1)
        given = json.load(sys.stdin)
        self.api, self.login, self.feed = given['api'], given['login'], given['feed']
        self.origin = '{0.scheme}://{0.netloc}'.format(urlsplit(self.api))
        self.socket_origin = self.origin.replace('http', 'ws', 1)
        self.credentials = given['credentials']
        self.cells = {}

    def cell(self, name, call):
        """What a call returned, or None; the cell says `ok` or what was wrong."""
        signal.signal(signal.SIGALRM, late)
        signal.setitimer(signal.ITIMER_REAL, CELL_SECONDS)
        try:
            value = call()
            self.cells[name] = 'ok'
            return value
        except BaseException as error:
            self.cells[name] = shortened(f'{type(error).__name__}: {error}')
            return None
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def not_offered(self, *names):
        for name in names:
            self.cells[name] = '-'

    def done(self):
        json.dump(self.cells, self._verdict)
        self._verdict.flush()
        # Threads of sockets would keep the process.
        os._exit(0)

    def orders(self, place, modify, cancel, book, trades, positions, history=None, updates=None, margin=None):
        """The life of two orders, and what the first would need before there is any: `margin()`, rupees. `place(type)` gives an id; book and history rows of (id, quantity, price, state); trades ids."""
        if margin is None:
            self.not_offered('margin')
        else:
            self.cell('margin', lambda: needed(margin()))
        order = self.cell('LIMIT', lambda: identified(place('LIMIT')))
        self.cell('order book', lambda: seen(book, order, QUANTITY, PRICE))
        # Not every broker lets an order be changed that is still on its way to the exchange.
        time.sleep(0.5)
        self.cell('modify', lambda: (modify(order), seen(book, order, NEW_QUANTITY, NEW_PRICE)))
        if history is None:
            self.not_offered('order history')
        else:
            self.cell('order history', lambda: seen(lambda: history(order), order, NEW_QUANTITY, NEW_PRICE))
        self.cell('cancel', lambda: (cancel(order), seen(book, order, NEW_QUANTITY, NEW_PRICE, 'cancel')))
        market = self.cell('MARKET', lambda: identified(place('MARKET')))
        self.cell('trade book', lambda: until(lambda: str(market) in [str(each) for each in trades()], 'the trade', trades))
        self.cell('positions', lambda: until(lambda: SYMBOL in str(positions()), 'the position', positions))
        if updates is None:
            self.not_offered('order feed')
        else:
            self.cell('order feed', lambda: (updates.said(order, 'cancel'), updates.said(market)))


def late(*_):
    raise TimedOut(f'no answer in {CELL_SECONDS} s')


def shortened(value):
    text = ' '.join(str(value).split())
    return text if len(text) <= 500 else text[:500] + ' ...'


def needed(rupees):
    """Shares bought intraday bind a fifth of their value."""
    assert float(rupees) == PRICE * QUANTITY / 5, f'the order needs {rupees}'


def identified(order_id):
    assert str(order_id or '').strip(), f'no order id: {order_id}'
    return str(order_id)


def until(true, what, show):
    """Orders and fills take their way; asks again until it is so."""
    end = time.monotonic() + WAIT_SECONDS
    while not true():
        assert time.monotonic() < end, f'not there: {what} in {shortened(show())}'
        time.sleep(0.25)


def seen(rows, order_id, quantity, price, state=''):
    assert order_id, 'there is no order to look for'
    fits = lambda row: str(row[0]) == order_id and int(row[1]) == quantity and float(row[2]) == price and state in str(row[3]).lower()
    until(lambda: any(fits(row) for row in rows()), [order_id, quantity, price, state], rows)


def has(answer, *words):
    """The answer, which must name all the words."""
    for word in words:
        assert str(word) in str(answer), f'without {word}: {shortened(answer)}'
    return answer


class NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def signed_in_at(address):
    """What a login page sends back to the app, as a person's browser would."""
    try:
        raise AssertionError(f'no redirect from {address}: {build_opener(NoRedirect).open(address, timeout=10).status}')
    except HTTPError as answer:
        location = answer.headers.get('Location')
        assert location, f'{answer.status} from {address}'
        return dict(parse_qsl(urlsplit(location).query))


def requests_go(origin, here):
    """Sends what `requests` would send to an origin to another, for SDKs that hold addresses in their functions."""
    import requests

    request = requests.Session.request
    requests.Session.request = lambda session, method, url, **options: request(session, method, url.replace(origin, here), **options)


def in_background(run):
    threading.Thread(target=run, daemon=True).start()
