package listing

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWrapBreaksBetweenWordsAndCountsCharacters(t *testing.T) {
	require.Equal(t, "  one two\n  three\n", Wrap("one two three", "  ", 9))
	require.Equal(t, "  one\n  two\n", Wrap("one two", "  ", 8))
	require.Equal(t, "äöü äöü\n", Wrap("äöü  äöü", "", 7))
	require.Equal(t, "- incomprehensibilities\n- a\n", Wrap("incomprehensibilities a", "- ", 10))
	require.Empty(t, Wrap(" ", "  ", 10))
}

func TestCountHasTheSingularOfOneAlone(t *testing.T) {
	require.Equal(t, "0 rows, 1 row, 2 rows", Count(0, "row")+", "+Count(int64(1), "row")+", "+Count(2, "row"))
}
