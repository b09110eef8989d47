package focus

// unpricedColumns returns the columns of the file of unpriced usage. The file is not a dataset of
// the specification, but columns with names of the specification have the same meaning.
func unpricedColumns(v Version) []column[charge] {
	kept := map[string]bool{
		"BillingAccountId": true, "BillingAccountName": true, "BillingPeriodEnd": true, "BillingPeriodStart": true,
		"ChargeClass": true, "ChargeDescription": true, "ChargePeriodEnd": true, "ChargePeriodStart": true,
		"ConsumedQuantity": true, "ConsumedUnit": true, "InvoiceId": true,
		"RegionId": true, "SubAccountId": true, "Tags": true,
		"x_ChargeCount": true, "x_CorrectedInvoiceId": true, "x_CorrectionReason": true, "x_FirstChargeId": true,
		"x_FirstFrameLink": true, "x_FirstFramePosition": true, "x_FirstSessionId": true, "x_ModelId": true,
		"x_PriceTableHash": true, "x_ServiceTier": true, "x_Speed": true, "x_UnitName": true,
	}
	var columns []column[charge]
	for _, c := range costAndUsage(v) {
		if kept[c.name] {
			columns = append(columns, c)
		}
	}
	return append(columns,
		column[charge]{"x_StatedProviderName", text, func(c *charge) string { return name(c.row.Provider) }},
		column[charge]{"x_UnpricedReason", text, func(c *charge) string { return c.row.Reason }},
	)
}
