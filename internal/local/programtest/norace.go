//go:build !race

package programtest

const raceDetector = false
