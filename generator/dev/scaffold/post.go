package scaffold

import (
	"fmt"
	"strings"
	"time"

	"kubewalk/generator/book/content"
	"kubewalk/generator/problem"
)

// postText is a post's outline, as chapterText is a chapter's; it has no order.
var postText = map[string]string{
	"en": "---\ntitle: %[1]s\ndescription: What a reader learns in %[1]s.\n%[3]s---\n\nWrite here.\n",
	"ja": "---\ntitle: %[1]s\ndescription: %[1]s の記事の内容。\n%[3]s---\n\nここに書きます。\n",
}

// blogTitle is the title of a part of posts at first.
var blogTitle = map[string]string{"en": "Blog", "ja": "ブログ"}

// Post writes the outline of a post of a day: in the part that is named in front of a slash, or in
// the first one of posts. A book that has none gets one.
func Post(book *content.Book, key string, day time.Time) ([]string, error) {
	var made, parts []string
	for _, p := range book.Site.Parts {
		if p.Posts {
			parts = append(parts, p.Name)
		}
	}
	part, post, named := strings.Cut(key, "/")
	if !named {
		part, post = "blog", key
	}
	switch {
	case !name.MatchString(post):
		return nil, fmt.Errorf("post name %q cannot be part of an address (lower-case letters, digits and single hyphens)", post)
	case named && !book.HasPosts(part):
		return nil, fmt.Errorf("part %q of %q has no posts (%s; a part has posts if site.yaml says posts: true of it)", part, key, problem.DidYouMean(part, parts))
	case len(parts) > 0 && !named:
		part = parts[0]
	case len(parts) == 0:
		file, err := addPart(book, content.PartInfo{Name: part, Posts: true}, blogTitle, "post")
		if err != nil {
			return nil, err
		}
		made = append(made, file)
	}
	title := titleOf(post)
	for _, c := range book.Posts { // a translation follows its original
		if c.Part == part && c.Name == post && c.Original == nil {
			title = c.Title
			break
		}
	}
	files, err := outline(book, part+"/"+post, postText, title, 0, fmt.Sprintf("date: %s\n", day.Format(time.DateOnly)))
	return append(made, files...), err
}
