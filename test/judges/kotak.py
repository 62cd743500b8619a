"""kotakneoapi (imported as neo_api_client): sign-in has constants, the rest follows the base address that sign-in told."""

import asyncio

import pyotp
from judge import NEW_PRICE, NEW_QUANTITY, PRICE, QUANTITY, SYMBOL, TOKEN, Heard, Judge, has, in_background
from neo_api_client import NeoAPI
from neo_api_client.utils import neo_utility, urls
from neo_api_client.websocket.feed import WsToken

judge = Judge()
keys = judge.credentials
for module in (urls, neo_utility):
    for name in [each for each in dir(module) if each.endswith(('BASE_URL', 'BASE_URL_ADC'))]:
        setattr(module, name, judge.api)
neo = NeoAPI(consumer_key=keys['ACCESS_TOKEN'], environment='prod')


def ok(answer):
    assert str(answer.get('stat', 'ok')).lower() == 'ok' and 'error' not in answer and 'Error' not in answer, answer
    return answer


def sign_in():
    code = pyotp.TOTP(keys['TOTP_SECRET']).now()
    has(ok(neo.totp_login(mobile_number=keys['MOBILE_NUMBER'], ucc=keys['UCC'], totp=code)), 'sid')
    return has(ok(neo.totp_validate(mpin=keys['MPIN'])), 'baseUrl')


judge.cell('sign-in', sign_in)
judge.not_offered('profile')
judge.cell('funds', lambda: has(ok(neo.limits()), 'Net'))
judge.cell('holdings', lambda: has(ok(neo.holdings()), 'averagePrice'))

prices, updates = Heard(), Heard()


async def listen(socket, heard, opened=None):
    try:
        async with socket as messages:
            if opened:
                await opened(messages)
            async for message in messages:
                heard.tell(message)
    except Exception as error:
        heard.tell(repr(error))


def quotes():
    socket = neo.create_websocket(url=judge.feed)
    asyncio.run(listen(socket, prices, lambda messages: messages.subscribe_depth([WsToken('nse_cm', str(TOKEN))])))


def book(tick):
    bids, asks = ([level.price for level in side] for side in (tick.buy, tick.sell))
    return [*reversed(bids), tick.last_traded_price, *asks]


in_background(quotes)
judge.cell('price feed', lambda: prices.priced(book))
in_background(lambda: asyncio.run(listen(neo.create_order_feed(), updates)))

ORDER = {'exchange_segment': 'nse_cm', 'product': 'MIS', 'validity': 'DAY', 'trading_symbol': f'{SYMBOL}-EQ', 'transaction_type': 'B'}
KINDS = {'LIMIT': {'order_type': 'L', 'price': str(PRICE)}, 'MARKET': {'order_type': 'MKT', 'price': '0'}}


def modify(order):
    return ok(neo.modify_order(order_id=order, price=str(NEW_PRICE), order_type='L', quantity=str(NEW_QUANTITY), validity='DAY'))


def rows(answer):
    return [(each['nOrdNo'], each['qty'], each['prc'], each['ordSt']) for each in ok(answer)['data']]


def margin():
    words = {'exchange_segment': 'nse_cm', 'product': 'MIS', 'transaction_type': 'B', 'order_type': 'L'}
    return ok(neo.margin_required(**words, price=str(PRICE), quantity=str(QUANTITY), instrument_token=str(TOKEN)))['data']['ordMrgn']


judge.orders(
    margin=margin,
    place=lambda kind: ok(neo.place_order(**ORDER, quantity=str(QUANTITY), **KINDS[kind]))['nOrdNo'],
    modify=modify,
    cancel=lambda order: ok(neo.cancel_order(order_id=order)),
    book=lambda: rows(neo.order_report()),
    trades=lambda: [each['nOrdNo'] for each in neo.trade_report().get('data', [])],
    positions=lambda: neo.positions(),
    # The SDK puts the whole answer into a `data` of its own.
    history=lambda order: rows(neo.order_history(order_id=order)['data']),
    updates=updates,
)
judge.done()
