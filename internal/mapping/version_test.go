package mapping

import "testing"

func TestVersionsInOrder(t *testing.T) {
	inOrder := []string{"0.9", "1.0.0-rc.1", "1.0", "1.0.1", "1.2.9", "v1.2.10", "1.10", "2.0b3", "2.0+build.7", "2.1", "10.0.0"}
	for i, a := range inOrder {
		for j, b := range inOrder {
			if older, ok := olderVersion(a, b); !ok || older != (i < j) {
				t.Errorf("%s before %s: %v, %v", a, b, older, ok)
			}
		}
	}
	for _, same := range [][2]string{{"1.0", "1.0.0"}, {"v2", "2"}, {"1.02", "1.2"}, {"3.1+a", "3.1+b"}} {
		if older, ok := olderVersion(same[0], same[1]); !ok || older {
			t.Errorf("%v", same)
		}
		if older, ok := olderVersion(same[1], same[0]); !ok || older {
			t.Errorf("%v", same)
		}
	}
	for _, no := range []string{"", "main", "unknown", "-1"} {
		if _, ok := olderVersion(no, "1.0"); ok {
			t.Errorf("%q is no version", no)
		}
	}
}
