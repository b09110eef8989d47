package prices_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"tapedeck/query/pricing/prices"
)

// TestAccounts reads accounts with all fields and with the defaults. They are part of the
// effective table.
func TestAccounts(t *testing.T) {
	file := "accounts:\n  - {tag: customer, name: Customer *, zone: Europe/Berlin, prefix: ACME-2_, grace: 90m, issuer: \"ACME, Inc.\", payment_terms: Net 30}\n  - tenant: true\n"
	o, err := prices.ReadFile("p.yaml", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	e := prices.With(o)
	want := []prices.Account{
		{Tag: "customer", Name: "Customer *", Zone: "Europe/Berlin", Prefix: "ACME-2_", Grace: 90 * time.Minute, Issuer: "ACME, Inc.", Terms: "Net 30"},
		{Name: "*", Zone: "UTC", Prefix: "INV-", Grace: time.Hour},
	}
	if !reflect.DeepEqual(e.Accounts(), want) || e.Accounts()[0].NameOf("c1") != "Customer c1" {
		t.Errorf("accounts %+v", e.Accounts())
	}
	again, err := prices.LoadEffective(e.Text())
	if err != nil || again.Hash() != e.Hash() || !reflect.DeepEqual(again.Accounts(), want) {
		t.Errorf("read again: %v", err)
	}
	standard := prices.Standard()
	if e.Hash() == standard.Hash() || !reflect.DeepEqual(standard.Accounts(), []prices.Account{prices.TenantAccount}) {
		t.Errorf("accounts without a file: %+v", standard.Accounts())
	}
}

func TestAccountErrors(t *testing.T) {
	for _, tc := range []struct{ name, file, want string }{
		{"unknown field", "- {tag: c, zones: UTC}", `p.yaml:2: accounts[0].zones: there is no such field; did you mean "zone"?`},
		{"unknown zone", "- {tag: c, zone: Europe/Berlln}", `p.yaml:2: accounts[0].zone: "Europe/Berlln" is not an IANA time zone`},
		{"the server's zone", "- {tag: c, zone: Local}", `p.yaml:2: accounts[0].zone: "Local" is not an IANA time zone`},
		{"neither", "- {name: x}", `p.yaml:2: accounts[0]: an account has either "tenant: true" or a tag`},
		{"both", "- {tenant: true, tag: c}", `p.yaml:2: accounts[0]: an account has either "tenant: true" or a tag`},
		{"twice", "- {tag: c}\n  - {tag: c}", `p.yaml:3: accounts[1]: the file has another account for the same tag`},
		{"two tenants", "- {tenant: true}\n  - {tenant: true}", `p.yaml:3: accounts[1]: the file has another account for the same tag or for the tenant`},
		{"tag with =", "- {tag: a=b}", `p.yaml:2: accounts[0].tag: the tag's name must not contain "="`},
		{"prefix", "- {tag: c, prefix: ../INV}", `p.yaml:2: accounts[0].prefix: "../INV" is not a valid prefix`},
		{"prefix with a digit", "- {tag: c, prefix: INV-0}", `p.yaml:2: accounts[0].prefix: "INV-0" is not a valid prefix`},
		{"grace", "- {tag: c, grace: -1h}", `p.yaml:2: accounts[0].grace: "-1h" is not a duration`},
		{"grace without a unit", "- {tag: c, grace: 1}", `p.yaml:2: accounts[0].grace: "1" is not a duration`},
		{"empty", "[]", `p.yaml:2: accounts: the list is empty`},
	} {
		_, err := prices.ReadFile("p.yaml", []byte("accounts:\n  "+tc.file+"\n"))
		if list, ok := errors.AsType[prices.FileErrors](err); !ok || !strings.HasPrefix(list[0].Error(), tc.want) {
			t.Errorf("%s: %v, expected %s", tc.name, err, tc.want)
		}
	}
}

// Minor units are those of ISO 4217.
func TestMinorUnits(t *testing.T) {
	for code, want := range map[string]int32{"USD": 2, "EUR": 2, "JPY": 0, "KRW": 0, "KWD": 3, "BHD": 3, "TND": 3} {
		if got, err := prices.MinorUnits(code); err != nil || got != want {
			t.Errorf("%s: %d, %v, expected %d", code, got, err, want)
		}
	}
}
