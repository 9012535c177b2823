package browser

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// act is one thing that a reader of a guide does.
type act struct {
	line int
	verb string // open, click, press, read or picture
	what string
	dark string // of a picture: its name in the dark, "" if there is none
}

// answer is a row of a guide's table of questions: the clicks that lead to an answer.
type answer struct {
	question string // number and words
	clicks   int
	way      []string
	text     string // what is then on the screen
}

// guide is what a document tells its reader to do.
type guide struct {
	acts    []act
	answers []answer
}

var (
	actWords = regexp.MustCompile("\\*\\*(Open|Click|Press|Read)\\*\\* (?:“([^”]+)”|`([^`]+)`)" + `|src="images/([a-z-]+)\.png"|\(images/([a-z-]+)\.png\)`)
	darkOne  = regexp.MustCompile(`srcset="images/([a-z-]+)\.png"`)
)

// readGuide reads the acts of a document: a bold verb before its object in quotes or
// backticks, and every picture where it stands. Tables are not acts; the one whose
// head begins with "question" is the table of questions.
func readGuide(text string) (g guide, err error) {
	questions := false
	for n, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "|") {
			cells := strings.Split(strings.Trim(line, "| "), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			switch {
			case cells[0] == "question":
				questions = true
			case questions && !strings.HasPrefix(cells[0], "-"):
				if len(cells) != 4 {
					return g, fmt.Errorf("line %d: a question must have four cells", n+1)
				}
				clicks, err := strconv.Atoi(cells[1])
				if err != nil {
					return g, fmt.Errorf("line %d: clicks must be a number", n+1)
				}
				g.answers = append(g.answers, answer{cells[0], clicks, strings.Split(cells[2], " › "), cells[3]})
			}
			continue
		}
		questions = false
		for _, m := range actWords.FindAllStringSubmatch(line, -1) {
			a := act{line: n + 1, verb: strings.ToLower(m[1]), what: m[2] + m[3] + m[4] + m[5]}
			if a.verb == "" {
				a.verb = "picture"
				if dark := darkOne.FindStringSubmatch(line); dark != nil {
					a.dark = dark[1]
				}
			}
			g.acts = append(g.acts, a)
		}
		if got, want := len(actWords.FindAllString(line, -1)), strings.Count(line, "**Open**")+strings.Count(line, "**Click**")+strings.Count(line, "**Press**")+strings.Count(line, "**Read**")+strings.Count(line, ".png")-strings.Count(line, "srcset"); got != want {
			return g, fmt.Errorf("line %d: %d of %d acts are understood; a verb must stand on one line with what it is about", n+1, got, want)
		}
	}
	return g, nil
}
