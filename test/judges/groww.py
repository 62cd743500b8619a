"""growwapi: the domain is a member, but sign-in and the socket's token hold their address in functions."""

import pyotp
from judge import NEW_PRICE, NEW_QUANTITY, PRICE, QUANTITY, SYMBOL, TOKEN, Heard, Judge, has, requests_go
from growwapi import GrowwAPI, GrowwFeed

judge = Judge()
keys = judge.credentials
requests_go('https://api.groww.in', judge.api)
token = judge.cell('sign-in', lambda: GrowwAPI.get_access_token(keys['API_KEY'], totp=pyotp.TOTP(keys['TOTP_SECRET']).now()))
groww = GrowwAPI(token)
judge.cell('profile', lambda: has(groww.get_user_profile(), 'ucc'))
judge.cell('funds', lambda: has(groww.get_available_margin_details(), 'clear_cash'))
judge.cell('holdings', lambda: has(groww.get_holdings_for_user()['holdings'], 'average_price', 'isin'))

prices, depths, updates = Heard(), Heard(), Heard()
GrowwFeed._GROWW_SOCKET_URL = judge.feed


def book(told):
    of_share = told['NSE']['CASH'][str(TOKEN)]
    bids, asks = ([of_share[side][level]['price'] for level in sorted(of_share[side])] for side in ('buyBook', 'sellBook'))
    return [*reversed(bids), *asks]


def listen():
    feed = GrowwFeed(groww)
    share = {'exchange': 'NSE', 'segment': 'CASH', 'exchange_token': str(TOKEN)}
    feed.subscribe_ltp([share], on_data_received=lambda _: prices.tell(feed.get_ltp()))
    feed.subscribe_equity_order_updates(on_data_received=lambda _: updates.tell(feed.get_equity_order_update()))
    feed.subscribe_market_depth([share], on_data_received=lambda _: depths.tell(feed.get_market_depth()))
    prices.priced(lambda told: [told['NSE']['CASH'][str(TOKEN)]['ltp']])
    depths.priced(book)


judge.cell('price feed', listen)

SAME = {'segment': 'CASH'}
ORDER = {
    **SAME,
    'trading_symbol': SYMBOL,
    'exchange': 'NSE',
    'quantity': QUANTITY,
    'validity': 'DAY',
    'product': 'MIS',
    'transaction_type': 'BUY',
}
placed = []


def place(kind):
    price = {'price': PRICE} if kind == 'LIMIT' else {}
    placed.append(groww.place_order(**ORDER, **price, order_type=kind)['groww_order_id'])
    return placed[-1]


def rows(orders):
    return [(each['groww_order_id'], each['quantity'], each['price'], each['order_status']) for each in orders]


judge.orders(
    margin=lambda: groww.get_order_margin_details('CASH', [{**ORDER, 'order_type': 'LIMIT', 'price': PRICE}])['total_requirement'],
    place=place,
    modify=lambda order: groww.modify_order(**SAME, groww_order_id=order, order_type='LIMIT', quantity=NEW_QUANTITY, price=NEW_PRICE),
    cancel=lambda order: groww.cancel_order(groww_order_id=order, **SAME),
    book=lambda: rows(groww.get_order_list(**SAME)['order_list']),
    # Trades are told by order, and one order as it stands now.
    trades=lambda: [each['groww_order_id'] for each in groww.get_trade_list_for_order(placed[-1], **SAME)['trade_list']],
    positions=lambda: groww.get_positions_for_user(**SAME),
    history=lambda order: rows([groww.get_order_detail(groww_order_id=order, **SAME)]),
    updates=updates,
)
judge.done()
