package focus

import (
	"fmt"
	"slices"
	"strings"

	"tapedeck/query/tabular"
)

// Options select what an export contains.
type Options struct {
	Tenant  string
	Version Version // default 1.4
	// Issuer and PaymentTerms override the issuer and the payment terms of the invoices' accounts.
	Issuer, PaymentTerms string
	// Tags are the keys of tags by whose values charges are separated.
	Tags []string
	// SubAccount is the key of the tag whose value is the sub account; "" for no sub accounts.
	SubAccount string
	// Columns are the columns of Cost and Usage to write; default all.
	Columns []string
	// For is the recipient of the export. An export for Customer omits columns that show what the
	// operator pays.
	For Recipient
	// Link precedes the paths of frames, such as "https://tapedeck.example"; default "".
	Link string
	// Cells says whether cells that a spreadsheet would run are written as recorded.
	Cells tabular.Cells
}

// Recipient is the kind of reader that an export is intended for.
type Recipient string

// Customer is the holder of the billing account.
const Customer Recipient = "customer"

// Recipients lists the valid recipients.
var Recipients = []Recipient{Customer}

// columns returns the columns of Cost and Usage that the export contains.
func (o *Options) columns(v Version) ([]column[charge], error) {
	all := slices.DeleteFunc(costAndUsage(v), func(c column[charge]) bool { return !o.shows(c.name) })
	return selected(all, o.Columns)
}

// apart returns the keys of the tags by whose values charges are kept separate.
func (o *Options) apart() []string {
	keys := slices.Clone(o.Tags)
	if o.SubAccount != "" && !slices.Contains(keys, o.SubAccount) {
		keys = append(keys, o.SubAccount)
	}
	return keys
}

// Columns returns the names of the columns of Cost and Usage.
func Columns(v Version) []string {
	all := costAndUsage(v)
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].name
	}
	return names
}

// selected returns the columns that the options name, in the order of all.
func selected[T any](all []column[T], names []string) ([]column[T], error) {
	if len(names) == 0 {
		return all, nil
	}
	known := make([]string, len(all))
	for i := range all {
		known[i] = all[i].name
	}
	for _, n := range names {
		if !slices.Contains(known, n) {
			return nil, fmt.Errorf("no column %q in Cost and Usage: the columns are %s", n, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(c column[T]) bool { return !slices.Contains(names, c.name) }), nil
}
