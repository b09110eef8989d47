import { useSearch } from 'wouter'
import { ModelPage } from './model'
import { PriceTable } from './list'

/** The effective price table, or all prices of the model that the address names. */
export default function PricesPage() {
  const params = new URLSearchParams(useSearch())
  const [provider, id] = [params.get('provider'), params.get('id')]
  if (provider !== null && id !== null)
    return <ModelPage key={`${provider} ${id}`} provider={provider} id={id} />
  return <PriceTable model={params.get('model') ?? ''} />
}
