package focus_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"tapedeck/query/billing/bills"
)

// record is a row of a dataset, by column. "" is null.
type record map[string]string

// relation is what the specification requires of several columns of a record. It returns
// what is wrong, "" for nothing.
type relation struct {
	name, source string
	wrong        func(record) string
}

// null and set check whether columns are null if a condition holds.
func null(condition func(record) bool, columns ...string) func(record) string {
	return func(r record) string {
		for _, c := range columns {
			if condition(r) && r[c] != "" {
				return fmt.Sprintf("%s is %q", c, r[c])
			}
		}
		return ""
	}
}

func set(condition func(record) bool, columns ...string) func(record) string {
	return func(r record) string {
		for _, c := range columns {
			if condition(r) && r[c] == "" {
				return c + " is null"
			}
		}
		return ""
	}
}

// together checks that of two columns both are null or neither.
func together(a, b string) func(record) string {
	return func(r record) string {
		if (r[a] == "") != (r[b] == "") {
			return fmt.Sprintf("%s is %q and %s %q", a, r[a], b, r[b])
		}
		return ""
	}
}

func equal(a, b string, condition func(record) bool) func(record) string {
	return func(r record) string {
		if condition(r) && rat(r[a]).Cmp(rat(r[b])) != 0 {
			return fmt.Sprintf("%s is %s and %s %s", a, r[a], b, r[b])
		}
		return ""
	}
}

func product(cost, price string) func(record) string {
	return func(r record) string {
		if r[price] == "" || r["PricingQuantity"] == "" {
			return ""
		}
		want := new(big.Rat).Mul(rat(r[price]), rat(r["PricingQuantity"]))
		if want.Cmp(rat(r[cost])) != 0 {
			return fmt.Sprintf("%s is %s, not %s × %s", cost, r[cost], r[price], r["PricingQuantity"])
		}
		return ""
	}
}

func before(a, b string, condition func(record) bool, orEqual bool) func(record) string {
	return func(r record) string {
		if condition(r) && !(r[a] < r[b] || orEqual && r[a] == r[b]) {
			return fmt.Sprintf("%s is %s and %s %s", a, r[a], b, r[b])
		}
		return ""
	}
}

func rat(text string) *big.Rat {
	n, ok := new(big.Rat).SetString(text)
	if !ok {
		return new(big.Rat)
	}
	return n
}

func always(record) bool { return true }
func usage(r record) bool {
	return r["ChargeCategory"] == "Usage" || r["ChargeCategory"] == "Purchase"
}
func correction(r record) bool   { return r["ChargeClass"] == "Correction" }
func regularUsage(r record) bool { return usage(r) && !correction(r) }
func notUsage(r record) bool     { return r["ChargeCategory"] != "Usage" }
func noSku(r record) bool        { return r["SkuId"] == "" }
func noSkuPrice(r record) bool   { return r["SkuPriceId"] == "" }
func skuPrice(r record) bool     { return r["SkuPriceId"] != "" }
func noListPrice(r record) bool  { return r["ListUnitPrice"] == "" }
func noOwnPrice(r record) bool   { return r["ContractedUnitPrice"] == "" }
func notCorrection(r record) bool {
	return !correction(r)
}

// costAndUsageRelations hold in both versions.
var costAndUsageRelations = []relation{
	{"list cost is price by quantity", "listcost.md, pricingquantity.md", product("ListCost", "ListUnitPrice")},
	{"contracted cost is price by quantity", "contractedcost.md, pricingquantity.md", product("ContractedCost", "ContractedUnitPrice")},
	{"a cost without a list price is the billed cost", "listcost.md", equal("ListCost", "BilledCost", noListPrice)},
	{"a cost without a contracted price is the billed cost", "contractedcost.md", equal("ContractedCost", "BilledCost", noOwnPrice)},
	{"without commitments the effective cost is the billed cost", "effectivecost.md", equal("EffectiveCost", "BilledCost", always)},
	{"usage has a SKU, prices and quantities", "skuid.md, skupriceid.md, listunitprice.md, contractedunitprice.md, pricingquantity.md, pricingcategory.md, consumedquantity.md",
		set(regularUsage, "SkuId", "SkuPriceId", "ListUnitPrice", "ContractedUnitPrice", "PricingQuantity", "PricingUnit", "PricingCategory", "ConsumedQuantity")},
	{"without a SKU price there are no prices", "pricingquantity.md, listunitprice.md, contractedunitprice.md, pricingcategory.md, skupricedetails.md, consumedquantity.md",
		null(noSkuPrice, "PricingQuantity", "ListUnitPrice", "ContractedUnitPrice", "PricingCategory", "SkuPriceDetails", "ConsumedQuantity")},
	{"a SKU price has unit prices", "listunitprice.md, contractedunitprice.md", set(skuPrice, "ListUnitPrice", "ContractedUnitPrice", "SkuId")},
	{"without a SKU there is no meter", "skumeter.md", null(noSku, "SkuMeter", "SkuPriceId")},
	{"what is not usage consumes nothing", "consumedquantity.md", null(notUsage, "ConsumedQuantity")},
	{"a quantity has a unit", "consumedunit.md", together("ConsumedQuantity", "ConsumedUnit")},
	{"a pricing quantity has a unit", "pricingunit.md", together("PricingQuantity", "PricingUnit")},
	{"a region has a name", "regionname.md", together("RegionId", "RegionName")},
	{"a sub account has a name", "subaccountname.md", together("SubAccountId", "SubAccountName")},
	{"an account has a type", "billingaccounttype.md", together("BillingAccountId", "BillingAccountType")},
	{"a charge period ends after it starts", "chargeperiodstart.md, chargeperiodend.md", before("ChargePeriodStart", "ChargePeriodEnd", always, false)},
	{"a billing period ends after it starts", "billingperiodstart.md, billingperiodend.md", before("BillingPeriodStart", "BillingPeriodEnd", always, false)},
	{"charges start in their billing period", "billingperiodstart.md", before("BillingPeriodStart", "ChargePeriodStart", notCorrection, true)},
	{"charges end in their billing period", "billingperiodend.md", before("ChargePeriodEnd", "BillingPeriodEnd", notCorrection, true)},
	{"corrections are of an earlier period", "attributes/correction_handling.md", before("ChargePeriodEnd", "BillingPeriodStart", correction, true)},
	{"corrections name the invoice that they correct", "attributes/correction_handling.md (traceability)", func(r record) string {
		corrected := r["x_CorrectedInvoiceId"]
		switch {
		case !correction(r) && corrected == "", correction(r) && corrected != "" && corrected != r["InvoiceId"]:
			return ""
		case correction(r) && corrected == "" && r["x_CorrectionReason"] == string(bills.MovedIn): // the account had no bill then
			return ""
		}
		return fmt.Sprintf("class %q, invoice %s corrects %q", r["ChargeClass"], r["InvoiceId"], corrected)
	}},
	{"purchases are not by usage", "chargefrequency.md", func(r record) string {
		if r["ChargeCategory"] == "Purchase" && r["ChargeFrequency"] == "Usage-Based" {
			return "a purchase is Usage-Based"
		}
		return ""
	}},
	{"own properties of a price begin with x_", "skupricedetails.md", ownKeys("SkuPriceDetails", nil)},
	{"usage leads to its first frame", "the product's own", func(r record) string {
		if r["ChargeCategory"] == "Usage" && !strings.Contains(r["x_FirstFrameLink"], "/sessions/") {
			return fmt.Sprintf("x_FirstFrameLink is %q", r["x_FirstFrameLink"])
		}
		return ""
	}},
}

// grainProperties are those that the specification defines for Invoice Detail Grain.
var grainProperties = map[string]bool{
	"ContractId": true, "RegionId": true, "ResourceId": true, "ResourceType": true, "ServiceName": true,
	"SkuId": true, "SkuMeter": true, "SkuPriceId": true, "SubAccountId": true,
}

var invoiceDetailRelations = []relation{
	{"a record is updated after it is created", "invoicedetaillastupdated.md", before("InvoiceDetailCreated", "InvoiceDetailLastUpdated", always, true)},
	{"properties of the grain are defined or begin with x_", "invoicedetailgrain.md", ownKeys("InvoiceDetailGrain", grainProperties)},
	{"the payment is in the billing currency", "paymentcurrencybilledcost.md", equal("PaymentCurrencyBilledCost", "BilledCost", func(r record) bool { return r["PaymentCurrency"] == r["BillingCurrency"] })},
	{"a billing period ends after it starts", "billingperiodend.md", before("BillingPeriodStart", "BillingPeriodEnd", always, false)},
	{"an issued invoice has a date", "invoiceissuedate.md", set(func(r record) bool { return r["InvoiceIssueStatus"] == "Issued" }, "InvoiceIssueDate")},
}

var billingPeriodRelations = []relation{
	{"a period is updated after it is created", "billingperiodlastupdated.md", before("BillingPeriodCreated", "BillingPeriodLastUpdated", always, true)},
	{"a period ends after it starts", "billingperiodend.md", before("BillingPeriodStart", "BillingPeriodEnd", always, false)},
	{"a closed period has ended", "billingperiodstatus.md", before("BillingPeriodEnd", "BillingPeriodLastUpdated", func(r record) bool { return r["BillingPeriodStatus"] == "Closed" }, true)},
}

// ownKeys checks that keys of an object that are not defined begin with x_.
func ownKeys(column string, defined map[string]bool) func(record) string {
	return func(r record) string {
		if r[column] == "" {
			return ""
		}
		var object map[string]any
		if err := json.Unmarshal([]byte(r[column]), &object); err != nil {
			return err.Error()
		}
		for key, value := range object {
			if value == "" {
				return fmt.Sprintf("%s has an empty %q", column, key)
			}
			if !defined[key] && !strings.HasPrefix(key, "x_") {
				return fmt.Sprintf("%s has the key %q", column, key)
			}
		}
		return ""
	}
}
