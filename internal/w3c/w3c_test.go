package w3c

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func members(list string) (out []string) {
	for m := range Baggage(list) {
		if m.Valid() {
			out = append(out, m.Key+" "+m.Value+" "+m.Properties)
		} else {
			out = append(out, "invalid")
		}
	}
	return out
}

func TestBaggageMembers(t *testing.T) {
	for list, want := range map[string][]string{
		"":                               nil,
		" , ,":                           nil,
		"a=1":                            {"a 1 "},
		"a=1,b=2":                        {"a 1 ", "b 2 "},
		" a = 1 , b=2\t":                 {"a 1 ", "b 2 "},
		"a=":                             {"a  "},
		"a=b=c":                          {"a b=c "},
		"a=1;p;q=2 ; r = 3":              {"a 1 p;q=2 ; r = 3"},
		"user%2Eemail=a%40b.c;p=1":       {"user%2Eemail a%40b.c p=1"},
		"a=1,a=2":                        {"a 1 ", "a 2 "},
		"a":                              {"invalid"},
		"=1":                             {"invalid"},
		"a b=1":                          {"invalid"},
		`a="1"`:                          {"invalid"},
		"a=1 2":                          {"invalid"},
		"a=1;":                           {"invalid"},
		"a=1;;p":                         {"invalid"},
		"a=é":                            {"invalid"},
		"a=1,,b=2":                       {"a 1 ", "b 2 "},
		"a=1\nb=2":                       {"invalid"},
		`a=1\2`:                          {"invalid"},
		"a=1;p=é":                        {"invalid"},
		"[redacted:email:0123456789ab]":  {"invalid"},
		"https://x=1":                    {"invalid"},
		"a(b)=1":                         {"invalid"},
		strings.Repeat("k", 5000) + "=v": {strings.Repeat("k", 5000) + " v "},
	} {
		assert.Equal(t, want, members(list), "%q", list)
	}
}

func TestDecode(t *testing.T) {
	for in, want := range map[string]string{
		"a%40b.c": "a@b.c", "%e4%b8%ad": "中", "%E4%B8%AD": "中", "100%": "100%", "%zz": "%zz", "%4": "%4",
		"%ff%fe": "\uFFFD", "a%ffb": "a\uFFFDb", "plain": "plain", "": "",
	} {
		assert.Equal(t, want, Decode(in), in)
	}
}

func state(n, size int) string {
	var list []string
	for i := range n {
		key := fmt.Sprintf("v%d=", i)
		list = append(list, key+strings.Repeat("x", size-len(key)))
	}
	return strings.Join(list, ",")
}

func TestTracestate(t *testing.T) {
	long := strings.Repeat("v", 256)
	for _, c := range []struct {
		name, in string
		keys     []string
		ok       bool
	}{
		{"empty", "", nil, true},
		{"one", "rojo=00f067aa0ba902b7", []string{"rojo"}, true},
		{"order is kept", "b=1,a=2", []string{"b", "a"}, true},
		{"tenant", "fw529a3039@dt=FfffffffffffffffffffffffffffB", []string{"fw529a3039@dt"}, true},
		{"starts with a digit", "0a=1", []string{"0a"}, true},
		{"white space and empty members", "a=1 ,\t b=2,,", []string{"a", "b"}, true},
		{"value with spaces inside", "a=1 2", []string{"a"}, true},
		{"key of 256", long + "=1", []string{long}, true},
		{"key of 257", long + "v=1", nil, false},
		{"value of 256", "a=" + long, []string{"a"}, true},
		{"value of 257", "a=" + long + "v", nil, false},
		{"duplicate: the first counts", "a=1,b=2,a=3", []string{"a", "b"}, true},
		{"upper case", "A=1", nil, false},
		{"no key", "=1", nil, false},
		{"no value", "a=", nil, false},
		{"no equals sign", "a", nil, false},
		{"two equals signs", "a=1=2", nil, false},
		{"white space before =", "a =1", nil, false},
		{"not ASCII", "a=é", nil, false},
		{"starts with a mark", "_a=1", nil, false},
		{"no vendor", "a@=1", nil, false},
		{"one bad member spoils all", "a=1,B=2", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := Tracestate(c.in)
			assert.Equal(t, c.ok, ok)
			var keys []string
			for _, m := range got {
				keys = append(keys, m.Key)
			}
			assert.Equal(t, c.keys, keys)
		})
	}
	got, ok := Tracestate(state(32, 10))
	assert.True(t, ok)
	assert.Len(t, got, 32)
	_, ok = Tracestate(state(33, 10))
	assert.False(t, ok, "33 members")
}

func TestVendorStandsBehindTheTenant(t *testing.T) {
	assert.Equal(t, "dt", StateMember{Key: "fw529a3039@dt"}.Vendor())
	assert.Equal(t, "rojo", StateMember{Key: "rojo"}.Vendor())
}

func TestCutRemovesLongMembersFirstThenFromTheRight(t *testing.T) {
	cut := func(s string) []string {
		in, ok := Tracestate(s)
		assert.True(t, ok)
		var keys []string
		for _, m := range Cut(in, TracestateBytes) {
			keys = append(keys, m.Key)
		}
		return keys
	}
	member := func(key string, size int) string { return key + "=" + strings.Repeat("x", size-len(key)-1) }
	join := func(m ...string) string { return strings.Join(m, ",") }

	assert.Equal(t, []string{"a", "b", "c", "d"}, cut(join(member("a", 128), member("b", 128), member("c", 128), member("d", 125))), "512 in all")
	// 600 characters: one long member goes, wherever it stands.
	assert.Equal(t, []string{"b", "c", "d"}, cut(join(member("a", 257), member("b", 113), member("c", 113), member("d", 114))))
	// The rightmost of two long ones is enough.
	assert.Equal(t, []string{"a", "c", "d"}, cut(join(member("a", 200), member("b", 200), member("c", 100), member("d", 97))))
	// No long one: from the right.
	assert.Equal(t, []string{"a", "b", "c", "d", "e"}, cut(join(member("a", 99), member("b", 99), member("c", 99), member("d", 99), member("e", 99), member("f", 100))))
	// Long ones are not enough.
	assert.Equal(t, []string{"a", "b", "c", "d"}, cut(join(member("x", 200), member("a", 120), member("b", 120), member("c", 120), member("d", 120), member("e", 120))))
}

const good = "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

func TestTraceparent(t *testing.T) {
	for in, want := range map[string]bool{
		"00-" + good:                  true,
		" 00-" + good + "\t":          true,
		"00-" + strings.ToUpper(good): false,
		"ff-" + good:                  false,
		"FF-" + good:                  false,
		"00-" + good[:len(good)-1]:    false, // 54 characters
		"00-" + good + "0":            false,
		"00-" + good + "-extra":       false,
		"01-" + good:                  true,
		"01-" + good + "-extra":       true,
		"01-" + good + "extra":        false,
		"cc-" + good + "-":            true,
		"00-00000000000000000000000000000000-00f067aa0ba902b7-01": false,
		"00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01": false,
		"00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01": false,
		"00_" + good: false,
		"0x-" + good: false,
		"":           false,
	} {
		_, ok := ParseTraceparent(in)
		assert.Equal(t, want, ok, "%q", in)
	}
	tp, ok := ParseTraceparent("cc-" + good[:len(good)-2] + "ff-what.the.future-will-be-like")
	assert.True(t, ok)
	assert.Equal(t, "00-"+good[:len(good)-2]+"03", tp.String(), "flags nobody knows are not handed on")
}

func FuzzBaggage(f *testing.F) {
	for _, s := range []string{"a=1,b=2;p=q", "user%2Eemail=a%40b.c;p=1", ",,=,;", "a=%ff%zz%"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var raws []string
		for m := range Baggage(s) {
			assert.Contains(t, s, m.Raw, "a member is never made up")
			assert.NotContains(t, m.Raw, ",")
			if m.Valid() {
				raws = append(raws, m.Raw)
				assert.True(t, isToken(m.Key))
			}
			assert.True(t, strings.ToValidUTF8(Decode(m.Value), "") == Decode(m.Value))
		}
		again := 0
		for m := range Baggage(strings.Join(raws, ",")) {
			assert.True(t, m.Valid(), "valid members stay valid: %q", m.Raw)
			again++
		}
		assert.Equal(t, len(raws), again)
	})
}

func FuzzTracestate(f *testing.F) {
	for _, s := range []string{"a=1,b=2", "fw529a3039@dt=x", "a=1,a=2,,", "A=1", state(33, 8), state(5, 150)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		in, ok := Tracestate(s)
		if !ok {
			assert.Empty(t, in)
			return
		}
		cut := Cut(in, TracestateBytes)
		out := Join(cut)
		assert.LessOrEqual(t, len(out), TracestateBytes)
		again, ok := Tracestate(out)
		assert.True(t, ok)
		assert.True(t, slices.Equal(cut, again), "written and read again it is the same")
		assert.True(t, slices.Equal(Cut(again, TracestateBytes), again), "a second cut removes nothing")
	})
}

func FuzzTraceparent(f *testing.F) {
	for _, s := range []string{"00-" + good, "01-" + good + "-extra", "ff-" + good, "00-" + good[:40]} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tp, ok := ParseTraceparent(s)
		if !ok {
			return
		}
		again, ok := ParseTraceparent(tp.String())
		assert.True(t, ok, "%q", s)
		assert.Equal(t, tp.TraceID, again.TraceID)
		assert.Equal(t, tp.ParentID, again.ParentID)
		assert.NotContains(t, tp.String(), "extra")
	})
}
