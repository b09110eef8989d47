import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answered, api, type Schemas } from '../api/client'

export type PriceList = Schemas['PriceList']
export type PricedModel = PriceList['items'][number]
export type Unmatched = PriceList['unmatched'][number]
export type UnitPrice = Schemas['UnitPrice']
export type ModelPrices = Schemas['ModelPrices']
export type PriceRule = Schemas['PriceRule']

/** How many models are fetched at once. */
const pageSize = 200

/** The models of the effective table whose ids contain a text. */
export const pricesQuery = (model: string) =>
  infiniteQueryOptions({
    queryKey: ['prices', 'list', model],
    queryFn: ({ pageParam, signal }) =>
      answered(
        api.GET('/v1/prices', {
          params: {
            query: {
              limit: pageSize,
              ...(model !== '' && { model }),
              ...(pageParam !== '' && { cursor: pageParam }),
            },
          },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: (last) => last.next,
    placeholderData: keepPreviousData,
  })

/** All prices of a provider's model. */
export const modelQuery = (provider: string, model: string) =>
  queryOptions({
    queryKey: ['prices', 'model', provider, model],
    queryFn: ({ signal }) =>
      answered(api.GET('/v1/prices/{provider}/{model}', { params: { path: { provider, model } }, signal })),
  })
