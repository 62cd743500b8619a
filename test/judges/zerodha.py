"""kiteconnect: both addresses are options of its own."""

from judge import NEW_PRICE, NEW_QUANTITY, PRICE, QUANTITY, SYMBOL, Heard, Judge, has, signed_in_at
from kiteconnect import KiteConnect, KiteTicker

judge = Judge()
keys = judge.credentials
kite = KiteConnect(api_key=keys['API_KEY'], root=judge.api, timeout=10)


def sign_in():
    code = signed_in_at(f"{judge.login}?v=3&api_key={keys['API_KEY']}")['request_token']
    return kite.generate_session(code, api_secret=keys['API_SECRET'])['access_token']


token = judge.cell('sign-in', sign_in)
judge.cell('profile', lambda: has(kite.profile(), 'user_id', 'exchanges'))
judge.cell('funds', lambda: has(kite.margins()['equity'], 'net', 'available'))
judge.cell('holdings', lambda: has(kite.holdings(), 'average_price', 'isin'))

instrument = next((each['instrument_token'] for each in kite.instruments('NSE') if each['tradingsymbol'] == SYMBOL), 0)
prices, updates, connected = Heard(), Heard(), Heard()
ticker = KiteTicker(keys['API_KEY'], token, root=judge.feed)


def opened(socket, _):
    socket.subscribe([instrument])
    socket.set_mode(socket.MODE_FULL, [instrument])
    connected.tell('open')


ticker.on_connect = opened
ticker.on_ticks = lambda _, ticks: [prices.tell(each) for each in ticks]
ticker.on_order_update = lambda _, order: updates.tell(order)
ticker.on_error = lambda _, code, reason: connected.tell('error', code, reason)
ticker.connect(threaded=True)


def book(tick):
    bids, asks = ([level['price'] for level in tick['depth'][side]] for side in ('buy', 'sell'))
    return [*reversed(bids), tick['last_price'], *asks]



judge.cell('price feed', lambda: (connected.said('open'), prices.priced(book)))

SAME = {'variety': kite.VARIETY_REGULAR}
ORDER = {
    **SAME,
    'exchange': kite.EXCHANGE_NSE,
    'tradingsymbol': SYMBOL,
    'transaction_type': kite.TRANSACTION_TYPE_BUY,
    'quantity': QUANTITY,
    'product': kite.PRODUCT_MIS,
}


def place(kind):
    return kite.place_order(**ORDER, order_type=kind, **({'price': PRICE} if kind == 'LIMIT' else {'market_protection': -1}))


def rows(orders):
    return [(each['order_id'], each['quantity'], each['price'], each['status']) for each in orders]


judge.orders(
    margin=lambda: kite.order_margins([{**ORDER, 'order_type': kite.ORDER_TYPE_LIMIT, 'price': PRICE}])[0]['total'],
    place=place,
    modify=lambda order: kite.modify_order(**SAME, order_id=order, quantity=NEW_QUANTITY, price=NEW_PRICE),
    cancel=lambda order: kite.cancel_order(**SAME, order_id=order),
    book=lambda: rows(kite.orders()),
    trades=lambda: [each['order_id'] for each in kite.trades()],
    positions=lambda: kite.positions()['net'],
    history=lambda order: rows(kite.order_history(order)),
    updates=updates,
)
judge.done()
