// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0

import java.util.Random;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.SearcherManager;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.RAMDirectory;
import org.apache.lucene.util.Version;

/**
 * Lucene: one index in memory that all threads write and search. Each operation is a search for two words; every fourth
 * replaces one of 4,000 documents first, every 200th makes the changes visible.
 */
public final class Lucene {
    private static final int WORDS = 2000;

    private static String word(Random r) {
        // Squaring makes some words frequent, as they are in texts.
        double u = r.nextDouble();
        return "w" + (int) (u * u * WORDS);
    }

    private static Document document(Random r) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 80; i++) {
            text.append(word(r)).append(' ');
        }
        Document d = new Document();
        d.add(new TextField("id", "d" + r.nextInt(4000), Field.Store.NO));
        d.add(new TextField("text", text.toString(), Field.Store.NO));
        return d;
    }

    public static void main(String[] args) throws Exception {
        IndexWriter writer = new IndexWriter(new RAMDirectory(),
            new IndexWriterConfig(Version.LATEST, new StandardAnalyzer()));
        Random seed = new Random(1);
        for (int i = 0; i < 4000; i++) {
            writer.addDocument(document(seed));
        }
        SearcherManager searchers = new SearcherManager(writer, true, null);
        Load.run(args, thread -> {
            Random r = new Random(thread);
            return i -> {
                if (i % 4 == 0) {
                    writer.updateDocument(new Term("id", "d" + r.nextInt(4000)), document(r));
                }
                if (i % 200 == 0) {
                    searchers.maybeRefresh();
                }
                BooleanQuery both = new BooleanQuery();
                both.add(new TermQuery(new Term("text", word(r))), BooleanClause.Occur.MUST);
                both.add(new TermQuery(new Term("text", word(r))), BooleanClause.Occur.MUST);
                IndexSearcher searcher = searchers.acquire();
                try {
                    return searcher.search(both, 10).totalHits;
                } finally {
                    searchers.release(searcher);
                }
            };
        });
    }
}
