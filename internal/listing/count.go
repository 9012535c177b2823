package listing

import "strconv"

// Count is a number with what is counted, whose plural ends in s: "1 run", "2 runs".
func Count[N int | int64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.FormatInt(int64(n), 10) + " " + what + "s"
}
