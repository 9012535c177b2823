package runlog

import (
	"cmp"
	"slices"
)

func sortPending(all []Pending) {
	slices.SortFunc(all, func(a, b Pending) int { return cmp.Compare(a.ID, b.ID) })
}
