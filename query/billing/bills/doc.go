// Package bills makes bills of charges, and keeps them.
//
// A billing account is a tenant, or the value of a tag; the price file lists them. A period
// is a month in the account's zone. It is open until it ends, then a draft until it is
// closed, which is possible once the grace of the account has passed.
//
// Closing a period computes its charges and freezes them as rows, with their prices. What
// arrives or changes later becomes a correction in the bill of the period that is closed
// next. Rows of a closed bill never change.
//
// The rows are stored first, under the id of the attempt. The bill is then committed in one
// step: docs/adr/0011-closing-bills.md.
package bills
