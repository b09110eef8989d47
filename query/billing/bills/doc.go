// Package bills computes, closes and stores bills of charges.
//
// A billing account is a tenant or one value of a tag; the price file lists the accounts. A period
// is a month in the account's time zone. It is open until the month ends, then a draft until it is
// closed. It can be closed once the account's grace time has passed.
//
// Closing a period computes its charges and freezes them, with their prices, as rows. Rows of a
// closed bill never change. Usage that arrives or changes later becomes a correction in the bill of
// the period that is closed next.
//
// The rows are stored first, under the id of the attempt. The bill is then committed in one step;
// see docs/adr/0011-closing-bills.md.
package bills
