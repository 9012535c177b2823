package presets

import (
	"bytes"
	"errors"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
)

// How a journal's preset spells the folders that its files are in. The first holds
// the second and so comes before it.
const (
	dataFolder = "${env:HOME}/.local/share/otelcol-agent"
	homeFolder = "${env:HOME}"
)

// journal places the files that a preset of a journal reads, beside the store where
// nobody else chose the place. What a person's folders are called is no pattern.
func journal(preset map[string]any, set Settings) (map[string]any, error) {
	receivers := map[string]any{}
	for id, v := range preset["receivers"].(map[string]any) {
		var files []any
		for _, file := range v.(map[string]any)["include"].([]any) {
			placed, err := place(file.(string), set)
			if err != nil {
				return nil, err
			}
			files = append(files, placed)
		}
		receivers[id] = map[string]any{"include": files}
	}
	return map[string]any{"receivers": receivers}, nil
}

// Written lists the journals that this program can write, sorted: those in its own
// folder.
func Written() []string {
	var names []string
	for _, preset := range Names() {
		name, ok := strings.CutPrefix(preset, journals)
		if b, err := files.ReadFile(preset + ".yaml"); ok && err == nil && bytes.Contains(b, []byte(dataFolder+"/journals/"+name+"/")) {
			names = append(names, name)
		}
	}
	return names
}

func place(file string, set Settings) (string, error) {
	if rest, ok := strings.CutPrefix(file, dataFolder); ok {
		folder, err := sqlite.DefaultFolder(set.Getenv)
		return literal(unpatterned(folder)) + rest, err
	}
	rest, ok := strings.CutPrefix(file, homeFolder)
	if !ok {
		return file, nil
	}
	home := set.Getenv("HOME")
	if home == "" {
		return "", errors.New("HOME is not set; it is where the journals are")
	}
	return literal(unpatterned(home)) + rest, nil
}

// unpatterned makes a path one that matches itself alone.
func unpatterned(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`).Replace(path)
}
