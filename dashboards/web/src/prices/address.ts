/** The address of the prices of a model. */
export function modelAddress(provider: string, model: string): string {
  return `/prices?${new URLSearchParams({ provider, id: model }).toString()}`
}
