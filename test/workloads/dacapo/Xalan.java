// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0

import java.io.StringReader;
import java.io.StringWriter;
import java.util.Random;
import javax.xml.transform.Templates;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;
import org.apache.xalan.processor.TransformerFactoryImpl;

/** Xalan: each operation turns a generated order list into an HTML page, by one style sheet that all threads share. */
public final class Xalan {
    private static final String STYLE = ""
        + "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>"
        + "<xsl:key name='by-city' match='order' use='@city'/>"
        + "<xsl:template match='/orders'><html><body>"
        + "<xsl:for-each select='order[generate-id() = generate-id(key(\"by-city\", @city)[1])]'>"
        + "<xsl:sort select='@city'/>"
        + "<h1><xsl:value-of select='@city'/></h1>"
        + "<table><xsl:apply-templates select='key(\"by-city\", @city)'>"
        + "<xsl:sort select='sum(item/@price)' data-type='number' order='descending'/>"
        + "</xsl:apply-templates></table></xsl:for-each></body></html></xsl:template>"
        + "<xsl:template match='order'><tr><td><xsl:value-of select='@id'/></td>"
        + "<td><xsl:value-of select='format-number(sum(item/@price), \"#,##0.00\")'/></td>"
        + "<td><xsl:for-each select='item'><xsl:value-of select='.'/>; </xsl:for-each></td></tr></xsl:template>"
        + "</xsl:stylesheet>";

    private static String document(long seed) {
        Random r = new Random(seed);
        StringBuilder b = new StringBuilder("<orders>");
        for (int i = 0; i < 100; i++) {
            b.append("<order id='").append(i).append("' city='C").append(r.nextInt(12)).append("'>");
            for (int k = r.nextInt(6); k >= 0; k--) {
                b.append("<item price='").append(r.nextInt(10_000) / 100.0).append("'>part ").append(r.nextInt(500));
                b.append("</item>");
            }
            b.append("</order>");
        }
        return b.append("</orders>").toString();
    }

    public static void main(String[] args) throws Exception {
        Templates style = new TransformerFactoryImpl().newTemplates(new StreamSource(new StringReader(STYLE)));
        Load.run(args, thread -> {
            String[] documents = new String[8];
            for (int i = 0; i < documents.length; i++) {
                documents[i] = document(thread * 100 + i);
            }
            return i -> {
                StringWriter page = new StringWriter();
                style.newTransformer().transform(
                    new StreamSource(new StringReader(documents[i % documents.length])), new StreamResult(page));
                return page.getBuffer().length();
            };
        });
    }
}
