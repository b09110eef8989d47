package bills

const closerCommand = "bill-closer"

func closerMain([]string) int { return 1 }
