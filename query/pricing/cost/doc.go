// Package cost computes what recorded usage costs.
//
// Costs are computed from cells: sets of usage records that have everything in common that
// a price depends on, so that the cost of a cell is linear in its tokens. SQL adds up the
// tokens of each cell (sql/cells.sql), and a Pricer multiplies. The result is exactly the
// sum of the costs of the single records, in decimal arithmetic without rounding.
//
// A cost that is not known is absent, with the Reason, and never zero. Three figures are
// reported side by side and are never added to each other: the cost at the prices that held at the
// time of the call, the cost at the prices of another date or table, and the cost that the
// source states.
package cost
