"""NorenRestApiOAuth (imported as NorenRestApiPy): both addresses are arguments."""

from judge import NEW_PRICE, NEW_QUANTITY, PRICE, PRICE_THAT_FILLS, QUANTITY, SYMBOL, TOKEN, Heard, Judge, has, signed_in_at
from NorenRestApiPy.NorenApi import FeedType, NorenApi

judge = Judge()
keys = judge.credentials
api = NorenApi(host=judge.api, websocket=judge.feed)
NAME = f'{SYMBOL}-EQ'


def sign_in():
    code = signed_in_at(api.getOAuthURL(judge.login, keys['API_KEY']))['code']
    made = api.getAccessToken(code, keys['API_SECRET'], keys['API_KEY'], keys['USER_ID'])
    assert made, 'no access token'


def ok(answer):
    assert answer and (isinstance(answer, list) or answer['stat'] == 'Ok'), answer
    return answer


judge.cell('sign-in', sign_in)
judge.not_offered('profile')
judge.cell('funds', lambda: has(ok(api.get_limits()), 'cash'))
judge.cell('holdings', lambda: has(ok(api.get_holdings()), 'upldprc', 'exch_tsym'))

prices, updates = Heard(), Heard()
api.start_websocket(
    subscribe_callback=prices.tell,
    order_update_callback=updates.tell,
    socket_open_callback=lambda: (api.subscribe(f'NSE|{TOKEN}', FeedType.SNAPQUOTE), api.subscribe_orders()),
    socket_error_callback=prices.tell,
)
judge.cell('price feed', lambda: prices.priced(lambda tick: [tick['bp1'], tick['lp'], tick['sp1']]))


def order(price_type, price):
    return api.place_order('B', 'I', 'NSE', NAME, QUANTITY, 0, price_type, price)


def place(kind):
    if kind == 'LIMIT':
        return ok(order('LMT', PRICE))['norenordno']
    # Shoonya blocks MKT over the API, and the SDK makes nothing of a refusal.
    assert order('MKT', 0) is None
    return ok(order('LMT', PRICE_THAT_FILLS))['norenordno']


def rows(answer):
    return [(each['norenordno'], each['qty'], each['prc'], each['status']) for each in answer or []]


judge.orders(
    place=place,
    modify=lambda order: ok(api.modify_order(order, 'NSE', NAME, NEW_QUANTITY, 'LMT', NEW_PRICE)),
    cancel=lambda order: ok(api.cancel_order(order)),
    book=lambda: rows(api.get_order_book()),
    trades=lambda: [each['norenordno'] for each in api.get_trade_book() or []],
    positions=lambda: api.get_positions(),
    history=lambda order: rows(api.single_order_history(order)),
    updates=updates,
)
judge.done()
