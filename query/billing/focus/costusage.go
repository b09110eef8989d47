package focus

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
)

// costAndUsage returns the columns of Cost and Usage: the columns of the specification sorted by
// name, then the product's own columns sorted by name.
func costAndUsage(v Version) []column[charge] {
	columns := slices.Concat(costColumns, ownColumns)
	if v == V12 {
		columns = append(columns, column[charge]{"ProviderName", text, serviceProvider},
			column[charge]{"PublisherName", text, serviceProvider})
	} else {
		columns = append(columns,
			column[charge]{"HostProviderName", text, serviceProvider},
			column[charge]{"InvoiceDetailId", text, (*charge).lineID},
			column[charge]{"ServiceProviderName", text, serviceProvider},
		)
	}
	slices.SortFunc(columns, func(a, b column[charge]) int {
		own := func(c column[charge]) int {
			if strings.HasPrefix(c.name, "x_") {
				return 1
			}
			return 0
		}
		return cmp.Or(own(a)-own(b), strings.Compare(a.name, b.name))
	})
	return columns
}

// costColumns are the columns of both versions.
var costColumns = []column[charge]{
	{"BilledCost", number, func(c *charge) string { return amount(c.cost) }},
	{"BillingAccountId", text, func(c *charge) string { return c.bill.accountID() }},
	{"BillingAccountName", text, func(c *charge) string { return c.bill.accountName() }},
	{"BillingAccountType", text, func(c *charge) string { return c.bill.accountType() }},
	{"BillingCurrency", text, func(c *charge) string { return c.bill.Currency }},
	{"BillingPeriodEnd", instant, func(c *charge) string { return moment(c.bill.End) }},
	{"BillingPeriodStart", instant, func(c *charge) string { return moment(c.bill.Start) }},
	{"ChargeCategory", text, (*charge).category},
	{"ChargeClass", text, func(c *charge) string { return c.only(c.correction(), "Correction") }},
	{"ChargeDescription", text, (*charge).description},
	{"ChargeFrequency", text, func(c *charge) string {
		if c.rounding {
			return "One-Time"
		}
		return "Usage-Based"
	}},
	{"ChargePeriodEnd", instant, func(c *charge) string { return moment(c.row.End) }},
	{"ChargePeriodStart", instant, func(c *charge) string { return moment(c.row.Start) }},
	{"ConsumedQuantity", number, func(c *charge) string { return c.only(!c.rounding, amount(c.quantity)) }},
	{"ConsumedUnit", text, func(c *charge) string { return c.only(!c.rounding, measure(c.row.Unit)) }},
	{"ContractedCost", number, func(c *charge) string { return amount(c.contracted) }},
	{"ContractedUnitPrice", number, func(c *charge) string {
		return c.only(c.hasPrice(), amountOrNull(c.contractedPrice()))
	}},
	{"EffectiveCost", number, func(c *charge) string { return amount(c.cost) }},
	{"InvoiceId", text, func(c *charge) string { return c.bill.Number }},
	{"InvoiceIssuerName", text, func(c *charge) string { return c.bill.issuer }},
	{"ListCost", number, func(c *charge) string { return amount(c.list) }},
	{"ListUnitPrice", number, func(c *charge) string { return c.only(c.hasPrice(), amountOrNull(c.listPrice())) }},
	{"PricingCategory", text, func(c *charge) string { return c.only(c.hasPrice(), "Standard") }},
	{"PricingCurrency", text, (*charge).pricingCurrency},
	{"PricingCurrencyContractedUnitPrice", number, func(c *charge) string {
		return c.only(c.hasPrice(), c.inPricingCurrency(c.contractedPrice()))
	}},
	{"PricingCurrencyEffectiveCost", number, func(c *charge) string {
		return c.inPricingCurrency(decimal.NewNullDecimal(c.cost))
	}},
	{"PricingCurrencyListUnitPrice", number, func(c *charge) string {
		return c.only(c.hasPrice(), c.inPricingCurrency(c.listPrice()))
	}},
	{"PricingQuantity", number, func(c *charge) string { return c.only(c.hasPrice(), amount(c.pricingQuantity())) }},
	{"PricingUnit", text, func(c *charge) string { return c.only(c.hasPrice(), pricingUnit(&c.row)) }},
	{"RegionId", text, (*charge).region},
	{"RegionName", text, (*charge).region},
	{"ServiceCategory", text, func(*charge) string { return "AI and Machine Learning" }},
	{"ServiceName", text, func(c *charge) string { return c.bill.provider(&c.row).name + " API" }},
	{"ServiceSubcategory", text, func(*charge) string { return "Generative AI" }},
	{"SkuId", text, func(c *charge) string { return c.only(!c.rounding, c.sku()) }},
	{"SkuMeter", text, func(c *charge) string { return c.only(!c.rounding, meter(c.row.Unit)) }},
	{"SkuPriceDetails", document, func(c *charge) string {
		return c.only(c.hasPrice(), object(c.priceDetails()))
	}},
	{"SkuPriceId", text, func(c *charge) string { return c.only(c.hasPrice(), c.priceID()) }},
	{"SubAccountId", text, (*charge).subAccount},
	{"SubAccountName", text, (*charge).subAccount},
	{"SubAccountType", text, (*charge).subAccountType},
	{"Tags", document, func(c *charge) string { return object(c.tags) }},
}

// ownColumns are the product's own columns.
var ownColumns = []column[charge]{
	{"x_ChargeCount", number, func(c *charge) string { return c.only(!c.rounding, strconv.Itoa(c.rows)) }},
	{"x_CorrectedInvoiceId", text, func(c *charge) string {
		return c.only(c.correction(), c.bill.numbers[c.row.Period])
	}},
	{"x_CorrectionReason", text, func(c *charge) string { return c.only(c.correction(), string(c.row.Note)) }},
	{"x_ExchangeRate", number, func(c *charge) string { return amountOrNull(c.rate) }},
	{"x_FirstChargeId", text, func(c *charge) string { return c.row.ChargeID }},
	{"x_FirstFrameLink", text, (*charge).link},
	{"x_FirstFramePosition", text, func(c *charge) string { return c.row.Position }},
	{"x_FirstSessionId", text, func(c *charge) string { return name(c.row.SessionID) }},
	{"x_ModelId", text, func(c *charge) string { return name(c.row.Model) }},
	{"x_PriceRules", text, func(c *charge) string { return name(strings.Join(c.row.Rules, "; ")) }},
	{"x_PriceTableHash", text, func(c *charge) string { return c.row.PricesHash }},
	{"x_ProviderId", text, func(c *charge) string { return c.bill.provider(&c.row).id }},
	{"x_ServiceTier", text, func(c *charge) string { return name(c.row.ServiceTier) }},
	{"x_Speed", text, func(c *charge) string { return name(c.row.Speed) }},
	{"x_UnitName", text, func(c *charge) string { return c.row.Unit }},
}
