// Package prices computes what the usage of a call costs.
//
// A Table lists providers, their models and the prices of each model. Usage is a quantity
// for each Unit. Price finds the model of a call, the prices that held at the time of the
// call, and the cost of each unit, in decimal arithmetic without rounding.
//
// The built-in table is generated from the npm package @pydantic/genai-prices; see
// generator/generate.mjs. Its rules are those of that package's own engine:
//
//   - Of several conditional prices of a model the last whose constraint holds is taken.
//   - Units form a lattice: tokens read from a cache are also input tokens. A price of a
//     more specific unit replaces the price of the units that contain it.
//   - A tier applies to all units of a call once the call's input tokens, cache included,
//     are above its start.
//
// An Effective table is what calls are charged at: a Table, an overlay of rules for what it
// lacks (service tiers, speeds, regions), and an Operator's own prices, discounts and
// margins. Calls that Splits puts into one Cell are priced by the sums of their usage.
package prices
