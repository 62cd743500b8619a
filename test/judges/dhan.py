"""dhanhq: its addresses are constants of its classes."""

import pyotp
from judge import NEW_PRICE, NEW_QUANTITY, PRICE, QUANTITY, TOKEN, Heard, Judge, has, in_background
from dhanhq import DhanContext, DhanLogin, MarketFeed, OrderUpdate, dhanhq
from dhanhq.dhan_http import DhanHTTP

judge = Judge()
keys = judge.credentials
DhanHTTP.API_BASE_URL = DhanLogin.API_BASE_URL = judge.api
DhanLogin.AUTH_BASE_URL = judge.login
login = DhanLogin(keys['CLIENT_ID'])


def data(answer):
    assert answer['status'] == 'success', answer['remarks']
    return answer['data']


token = judge.cell(
    'sign-in', lambda: has(login.generate_token(keys['PIN'], pyotp.TOTP(keys['TOTP_SECRET']).now()), 'expiryTime')['accessToken']
)
context = DhanContext(keys['CLIENT_ID'], token)
dhan = dhanhq(context)
judge.cell('profile', lambda: has(login.user_profile(token), keys['CLIENT_ID'], 'tokenValidity'))
judge.cell('funds', lambda: has(data(dhan.get_fund_limits()), 'availabelBalance'))
judge.cell('holdings', lambda: has(data(dhan.get_holdings()), 'avgCostPrice', 'isin'))

prices, updates = Heard(), Heard()
MarketFeed.market_feed_wss = judge.feed
OrderUpdate.on_update = lambda _, told: updates.tell(told)
socket = OrderUpdate(context)
socket.order_feed_wss = judge.feed
in_background(socket.connect_to_dhan_websocket_sync)
feed = MarketFeed(
    context,
    [(MarketFeed.NSE, str(TOKEN), MarketFeed.Full)],
    on_message=lambda _, told: prices.tell(told),
    on_error=lambda _, error: prices.tell(error),
)
feed.start()


def book(tick):
    bids, asks = ([level[side] for level in tick['depth']] for side in ('bid_price', 'ask_price'))
    return [*reversed(bids), tick['LTP'], *asks]


judge.cell('price feed', lambda: prices.priced(book))

ORDER = {'security_id': str(TOKEN), 'exchange_segment': dhan.NSE, 'transaction_type': dhan.BUY, 'quantity': QUANTITY}


def place(kind):
    price = PRICE if kind == 'LIMIT' else 0
    return data(dhan.place_order(**ORDER, order_type=kind, product_type=dhan.INTRA, price=price))['orderId']


def rows(orders):
    return [(each['orderId'], each['quantity'], each['price'], each['orderStatus']) for each in orders]


def one(order):
    answer = data(dhan.get_order_by_id(order))
    return rows(answer if isinstance(answer, list) else [answer])


judge.orders(
    margin=lambda: data(dhan.margin_calculator(**ORDER, product_type=dhan.INTRA, price=PRICE))['totalMargin'],
    place=place,
    modify=lambda order: data(dhan.modify_order(order, dhan.LIMIT, None, NEW_QUANTITY, NEW_PRICE, 0, 0, dhan.DAY)),
    cancel=lambda order: data(dhan.cancel_order(order)),
    book=lambda: rows(data(dhan.get_order_list())),
    trades=lambda: [each['orderId'] for each in data(dhan.get_trade_book())],
    positions=lambda: data(dhan.get_positions()),
    history=one,
    updates=updates,
)
judge.done()
