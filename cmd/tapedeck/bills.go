package main

// billsCommand works with the bills of accounts.
type billsCommand struct {
	Export billsExport `cmd:"" help:"Export closed bills for other tools: as FOCUS, the FinOps Open Cost and Usage Specification."`
}
