package bills

// FrameCheck is the result of decoding frames anew.
type FrameCheck struct {
	Sessions    uint64            `json:"sessions"` // that were decoded anew
	Of          uint64            `json:"of"`       // sessions of the bill
	Differences []FrameDifference `json:"differences"`
}

// FrameDifference is a charge for which the frames state another usage than is stored.
type FrameDifference struct {
	ChargeID  string `json:"charge_id"`
	SessionID string `json:"session_id"`
	Position  string `json:"position"`
	Unit      string `json:"unit"`
	Stored    int64  `json:"stored"`
	Decoded   int64  `json:"decoded"`
}
