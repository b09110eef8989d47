package focus_test

// Conditions that do not hold here, so that the columns that depend on them are not there.
const (
	noSplits       = "costs of shared resources are not split"
	noZones        = "there are no availability zones"
	noReservations = "there are no capacity reservations"
	noCommitments  = "there are no commitments"
	noContracts    = "there are no contract commitments"
	noResources    = "nothing is provisioned"
)

var chargeCategories = []string{"Usage", "Purchase", "Tax", "Credit", "Adjustment"}

// costAndUsage are the requirements of the columns of Cost and Usage. Those of 1.4 are in
// datasets/cost_and_usage, those of 1.2 in columns.
var costAndUsage = []requirement{
	{column: "AllocatedMethodDetails", in: only14, level: recommended, unless: noSplits, nulls: true, kind: jsonValue, source: "allocatedmethoddetails.md"},
	{column: "AllocatedMethodId", in: only14, level: conditional, unless: noSplits, nulls: true, kind: textValue, source: "allocatedmethodid.md"},
	{column: "AllocatedResourceId", in: only14, level: conditional, unless: noSplits, nulls: true, kind: textValue, source: "allocatedresourceid.md"},
	{column: "AllocatedResourceName", in: only14, level: conditional, unless: noSplits, nulls: true, kind: textValue, source: "allocatedresourcename.md"},
	{column: "AllocatedTags", in: only14, level: conditional, unless: noSplits, nulls: true, kind: jsonValue, source: "allocatedtags.md"},
	{column: "AvailabilityZone", in: both, level: recommended, unless: noZones, nulls: true, kind: textValue, source: "availabilityzone.md"},
	{column: "BilledCost", in: both, level: mandatory, kind: decimalValue, source: "billedcost.md"},
	{column: "BillingAccountId", in: both, level: mandatory, kind: textValue, source: "billingaccountid.md"},
	{column: "BillingAccountName", in: both, level: mandatory, nulls: true, kind: textValue, source: "billingaccountname.md"},
	{column: "BillingAccountType", in: both, level: conditional, kind: textValue, source: "billingaccounttype.md"},
	{column: "BillingCurrency", in: both, level: mandatory, kind: currencyValue, source: "billingcurrency.md"},
	{column: "BillingPeriodEnd", in: both, level: mandatory, kind: dateTimeValue, source: "billingperiodend.md"},
	{column: "BillingPeriodStart", in: both, level: mandatory, kind: dateTimeValue, source: "billingperiodstart.md"},
	{column: "CapacityReservationId", in: both, level: conditional, unless: noReservations, nulls: true, kind: textValue, source: "capacityreservationid.md"},
	{column: "CapacityReservationStatus", in: both, level: conditional, unless: noReservations, nulls: true, kind: textValue, source: "capacityreservationstatus.md"},
	{column: "ChargeCategory", in: both, level: mandatory, kind: textValue, allowed: chargeCategories, source: "chargecategory.md"},
	{column: "ChargeClass", in: both, level: mandatory, nulls: true, kind: textValue, allowed: []string{"Correction"}, source: "chargeclass.md"},
	{column: "ChargeDescription", in: both, level: mandatory, kind: textValue, source: "chargedescription.md (should not be null)"},
	{column: "ChargeFrequency", in: both, level: recommended, kind: textValue, allowed: []string{"One-Time", "Recurring", "Usage-Based"}, source: "chargefrequency.md"},
	{column: "ChargePeriodEnd", in: both, level: mandatory, kind: dateTimeValue, source: "chargeperiodend.md"},
	{column: "ChargePeriodStart", in: both, level: mandatory, kind: dateTimeValue, source: "chargeperiodstart.md"},
	{column: "CommitmentDiscountCategory", in: both, level: conditional, unless: noCommitments, nulls: true, kind: textValue, source: "commitmentdiscountcategory.md"},
	{column: "CommitmentDiscountId", in: both, level: conditional, unless: noCommitments, nulls: true, kind: textValue, source: "commitmentdiscountid.md"},
	{column: "CommitmentDiscountName", in: both, level: conditional, unless: noCommitments, nulls: true, kind: textValue, source: "commitmentdiscountname.md"},
	{column: "CommitmentDiscountQuantity", in: both, level: conditional, unless: noCommitments, nulls: true, kind: decimalValue, source: "commitmentdiscountquantity.md"},
	{column: "CommitmentDiscountStatus", in: both, level: conditional, unless: noCommitments, nulls: true, kind: textValue, source: "commitmentdiscountstatus.md"},
	{column: "CommitmentDiscountType", in: both, level: conditional, unless: noCommitments, nulls: true, kind: textValue, source: "commitmentdiscounttype.md"},
	{column: "CommitmentDiscountUnit", in: both, level: conditional, unless: noCommitments, nulls: true, kind: unitValue, source: "commitmentdiscountunit.md"},
	{column: "CommitmentProgramEligibilityDetails", in: only14, level: conditional, unless: noCommitments, nulls: true, kind: jsonValue, source: "commitmentprogrameligibilitydetails.md"},
	{column: "ConsumedQuantity", in: both, level: conditional, nulls: true, kind: decimalValue, source: "consumedquantity.md"},
	{column: "ConsumedUnit", in: both, level: conditional, nulls: true, kind: unitValue, source: "consumedunit.md"},
	{column: "ContractApplied", in: only14, level: conditional, unless: noContracts, nulls: true, kind: jsonValue, source: "contractapplied.md"},
	{column: "ContractedCost", in: both, level: mandatory, kind: decimalValue, source: "contractedcost.md"},
	{column: "ContractedUnitPrice", in: both, level: conditional, nulls: true, kind: unsignedPrice, source: "contractedunitprice.md"},
	{column: "EffectiveCost", in: both, level: mandatory, kind: decimalValue, source: "effectivecost.md"},
	{column: "HostProviderName", in: only14, level: mandatory, kind: textValue, source: "hostprovidername.md"},
	{column: "InvoiceDetailId", in: only14, level: conditional, nulls: true, kind: textValue, source: "invoicedetailid.md"},
	{column: "InvoiceId", in: both, level: conditional, nulls: true, kind: textValue, source: "invoiceid.md"},
	{column: "InvoiceIssuerName", in: both, level: mandatory, kind: textValue, source: "invoiceissuername.md, invoiceissuer.md"},
	{column: "ListCost", in: both, level: mandatory, kind: decimalValue, source: "listcost.md"},
	{column: "ListUnitPrice", in: both, level: conditional, nulls: true, kind: unsignedPrice, source: "listunitprice.md"},
	{column: "PricingCategory", in: both, level: conditional, nulls: true, kind: textValue, allowed: []string{"Standard", "Dynamic", "Committed", "Other"}, source: "pricingcategory.md"},
	{column: "PricingCurrency", in: both, level: conditional, kind: currencyValue, source: "pricingcurrency.md"},
	{column: "PricingCurrencyContractedUnitPrice", in: both, level: conditional, nulls: true, kind: unsignedPrice, source: "pricingcurrencycontractedunitprice.md"},
	{column: "PricingCurrencyEffectiveCost", in: both, level: conditional, nulls: true, kind: decimalValue, source: "pricingcurrencyeffectivecost.md"},
	{column: "PricingCurrencyListUnitPrice", in: both, level: conditional, nulls: true, kind: unsignedPrice, source: "pricingcurrencylistunitprice.md"},
	{column: "PricingQuantity", in: both, level: mandatory, nulls: true, kind: decimalValue, source: "pricingquantity.md"},
	{column: "PricingUnit", in: both, level: mandatory, nulls: true, kind: unitValue, source: "pricingunit.md"},
	{column: "ProviderName", in: only12, level: mandatory, kind: textValue, source: "provider.md"},
	{column: "PublisherName", in: only12, level: mandatory, kind: textValue, source: "publisher.md"},
	{column: "RegionId", in: both, level: conditional, nulls: true, kind: textValue, source: "regionid.md"},
	{column: "RegionName", in: both, level: conditional, nulls: true, kind: textValue, source: "regionname.md"},
	{column: "ResourceId", in: both, level: conditional, unless: noResources, nulls: true, kind: textValue, source: "resourceid.md"},
	{column: "ResourceName", in: both, level: conditional, unless: noResources, nulls: true, kind: textValue, source: "resourcename.md"},
	{column: "ResourceType", in: both, level: conditional, unless: noResources, nulls: true, kind: textValue, source: "resourcetype.md"},
	{column: "ServiceCategory", in: both, level: mandatory, kind: textValue, allowed: serviceCategories, source: "servicecategory.md"},
	{column: "ServiceName", in: both, level: mandatory, kind: textValue, source: "servicename.md"},
	{column: "ServiceProviderName", in: only14, level: mandatory, kind: textValue, source: "serviceprovidername.md"},
	{column: "ServiceSubcategory", in: both, level: recommended, kind: textValue, allowed: aiSubcategories, source: "servicesubcategory.md"},
	{column: "SkuId", in: both, level: conditional, nulls: true, kind: textValue, source: "skuid.md"},
	{column: "SkuMeter", in: both, level: conditional, nulls: true, kind: textValue, source: "skumeter.md"},
	{column: "SkuPriceDetails", in: both, level: conditional, nulls: true, kind: jsonValue, source: "skupricedetails.md"},
	{column: "SkuPriceId", in: both, level: conditional, nulls: true, kind: textValue, source: "skupriceid.md"},
	{column: "SubAccountId", in: both, level: conditional, nulls: true, kind: textValue, source: "subaccountid.md"},
	{column: "SubAccountName", in: both, level: conditional, nulls: true, kind: textValue, source: "subaccountname.md"},
	{column: "SubAccountType", in: both, level: conditional, nulls: true, kind: textValue, source: "subaccounttype.md"},
	{column: "Tags", in: both, level: conditional, nulls: true, kind: jsonValue, source: "tags.md"},
}

var serviceCategories = []string{
	"AI and Machine Learning", "Analytics", "Business Applications", "Compute", "Databases", "Developer Tools", "Multicloud",
	"Identity", "Integration", "Internet of Things", "Management and Governance", "Media", "Migration", "Mobile", "Networking",
	"Security", "Storage", "Web", "Other",
}

// aiSubcategories are those whose parent is "AI and Machine Learning".
var aiSubcategories = []string{
	"AI Platforms", "Bots", "Generative AI", "Machine Learning", "Natural Language Processing", "Other (AI and Machine Learning)",
}
