package config

// Nearest returns the name that a misspelt given most likely stands for, "" when none is close.
func Nearest(given string, names []string) string {
	best, most := "", 3 // fewest edits so far; three make another word
	for _, name := range names {
		if n := edits(given, name); n < most {
			best, most = name, n
		}
	}
	return best
}

// edits returns the least number of letters put in, taken out or replaced that makes b of a. It
// does not compare names of very different length.
func edits(a, b string) int {
	if diff := len(a) - len(b); diff > 2 || diff < -2 {
		return len(a) + len(b)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
