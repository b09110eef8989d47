// Package prices computes the cost of a call from its usage.
//
// A Table lists providers, their models and the prices of each model. Usage is a quantity for each
// Unit. Price finds the model of a call, the prices that applied at the time of the call, and the
// cost of each unit, in decimal arithmetic without rounding.
//
// The built-in table is generated from the npm package @pydantic/genai-prices; see
// generator/generate.mjs. Its rules are those of that package's own engine:
//
//   - If a model has several conditional prices, the last one whose constraint holds applies.
//   - Units form a lattice: tokens read from a cache are also input tokens. A price of a
//     more specific unit replaces the price of the units that contain it.
//   - A tier applies to all units of a call if the call's input tokens, including cache tokens,
//     are above the start of the tier.
//
// An Effective table has the prices that are charged. It consists of a Table, an overlay of rules
// for prices that the Table lacks (service tiers, speeds, regions), and an Operator's own prices,
// discounts and margins. Calls that Splits assigns to one Cell are priced by the sums of their
// usage.
package prices
