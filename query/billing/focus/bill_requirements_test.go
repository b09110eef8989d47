package focus_test

// billingPeriod are the requirements of the columns of Billing Period
// (datasets/billing_period, 1.4).
var billingPeriod = []requirement{
	{column: "BillingPeriodCreated", in: only14, level: mandatory, kind: dateTimeValue, source: "billingperiodcreated.md"},
	{column: "BillingPeriodEnd", in: only14, level: mandatory, kind: dateTimeValue, source: "billingperiodend.md"},
	{column: "BillingPeriodLastUpdated", in: only14, level: mandatory, kind: dateTimeValue, source: "billingperiodlastupdated.md"},
	{column: "BillingPeriodStart", in: only14, level: mandatory, kind: dateTimeValue, source: "billingperiodstart.md"},
	{column: "BillingPeriodStatus", in: only14, level: mandatory, kind: textValue, allowed: []string{"Open", "Closed"}, source: "billingperiodstatus.md"},
	{column: "InvoiceIssuerName", in: only14, level: mandatory, kind: textValue, source: "invoiceissuername.md"},
}

// invoiceDetail are the requirements of the columns of Invoice Detail
// (datasets/invoice_detail, 1.4).
var invoiceDetail = []requirement{
	{column: "BilledCost", in: only14, level: mandatory, kind: decimalValue, source: "billedcost.md"},
	{column: "BillingAccountId", in: only14, level: mandatory, kind: textValue, source: "billingaccountid.md"},
	{column: "BillingCurrency", in: only14, level: mandatory, kind: currencyValue, source: "billingcurrency.md"},
	{column: "BillingPeriodEnd", in: only14, level: mandatory, kind: dateTimeValue, source: "billingperiodend.md"},
	{column: "BillingPeriodStart", in: only14, level: mandatory, kind: dateTimeValue, source: "billingperiodstart.md"},
	{column: "ChargeCategory", in: only14, level: mandatory, kind: textValue, allowed: chargeCategories, source: "chargecategory.md"},
	{column: "InvoiceDetailCreated", in: only14, level: mandatory, kind: dateTimeValue, source: "invoicedetailcreated.md"},
	{column: "InvoiceDetailDescription", in: only14, level: mandatory, kind: textValue, source: "invoicedetaildescription.md (should not be null)"},
	{column: "InvoiceDetailGrain", in: only14, level: mandatory, kind: jsonValue, source: "invoicedetailgrain.md (not null, since properties define the line)"},
	{column: "InvoiceDetailId", in: only14, level: mandatory, kind: textValue, source: "invoicedetailid.md"},
	{column: "InvoiceDetailLastUpdated", in: only14, level: mandatory, kind: dateTimeValue, source: "invoicedetaillastupdated.md"},
	{column: "InvoiceId", in: only14, level: mandatory, kind: textValue, source: "invoiceid.md"},
	{column: "InvoiceIssueDate", in: only14, level: mandatory, kind: dateTimeValue, nulls: true, source: "invoiceissuedate.md"},
	{column: "InvoiceIssueStatus", in: only14, level: mandatory, kind: textValue, allowed: []string{"Open", "Issued", "Voided"}, source: "invoiceissuestatus.md"},
	{column: "InvoiceIssuerName", in: only14, level: mandatory, kind: textValue, source: "invoiceissuername.md"},
	{column: "PaymentCurrency", in: only14, level: mandatory, kind: currencyValue, source: "paymentcurrency.md"},
	{column: "PaymentCurrencyBilledCost", in: only14, level: conditional, kind: decimalValue, source: "paymentcurrencybilledcost.md"},
	{column: "PaymentCurrencyInvoiceDetailId", in: only14, level: conditional, kind: textValue, source: "paymentcurrencyinvoicedetailid.md"},
	{column: "PaymentDueDate", in: only14, level: mandatory, nulls: true, kind: dateTimeValue, source: "paymentduedate.md"},
	{column: "PaymentTerms", in: only14, level: mandatory, kind: textValue, source: "paymentterms.md"},
	{column: "PurchaseOrderNumber", in: only14, level: conditional, unless: "customers cannot state order numbers", nulls: true, kind: textValue, source: "purchaseordernumber.md"},
	{column: "ReferenceInvoiceId", in: only14, level: mandatory, kind: textValue, source: "referenceinvoiceid.md"},
}
