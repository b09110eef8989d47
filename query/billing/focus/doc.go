// Package focus exports closed bills in the form of the FinOps Open Cost and Usage
// Specification (FOCUS), versions 1.4 and 1.2: the datasets Cost and Usage, Billing Period
// and Invoice Detail as CSV, and metadata as JSON.
//
// A row of Cost and Usage is what one account used of one unit of one model on one day in
// the account's zone. Rows are apart where anything differs that a price depends on, and
// where they are corrections. A further row for each line of the invoice has the difference
// between the line's rounded amount and its exact cost, so that the costs of an invoice are
// its total.
//
// Costs must not be null in FOCUS. Usage without a price is in a file of its own, which the
// metadata names.
package focus
