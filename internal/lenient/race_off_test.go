//go:build !race

package lenient

// underRace says that the race detector is on, whose frames are larger.
const underRace = false
