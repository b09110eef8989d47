// Package focus exports closed bills in the format of the FinOps Open Cost and Usage Specification
// (FOCUS), versions 1.4 and 1.2: the datasets Cost and Usage, Billing Period and Invoice Detail as
// CSV, and metadata as JSON.
//
// A row of Cost and Usage is the usage of one unit of one model by one account on one day in the
// account's zone. Rows are separate if any value differs on which a price depends, and corrections
// are separate rows. One more row for each invoice line has the difference between the line's
// rounded amount and its exact cost, so that the costs of an invoice add up to its total.
//
// FOCUS does not allow null costs. Unpriced usage is in a separate file, which the metadata names.
package focus
