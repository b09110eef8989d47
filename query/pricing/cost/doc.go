// Package cost computes the cost of recorded usage.
//
// Costs are computed from cells. A cell is a set of usage records that agree in every value on
// which a price depends, so that the cost of a cell is linear in its tokens. SQL adds up the tokens
// of each cell (sql/cells.sql), and a Pricer multiplies the sums by prices. The result is exactly
// the sum of the costs of the single records, in decimal arithmetic without rounding.
//
// An unknown cost is absent, with the Reason, and never zero. Three figures are reported side by
// side and are never added to each other: the cost at the prices at the time of the call, the cost
// at the prices of another date or table, and the cost that the source states.
package cost
