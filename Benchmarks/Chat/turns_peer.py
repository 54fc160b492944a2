"""A conversation over notes as a user of a library writes it, in a process of its own: `langchain` with Chroma, or `llama-index`.

Reads notes from a JSONL file and embeds them. Then it answers one question per line of standard input, in JSON, with one
line; `null` begins another conversation.
"""
import json
import sys

SYSTEM = "Answer the question from the context only. If it does not say, say so."
CONDENSE = ("Given the conversation and the latest question, which might refer to it, write a question that can be "
            "understood without the conversation. Do not answer it.")


def langchain(address, notes, passages):
    from langchain_chroma import Chroma
    from langchain_core.messages import AIMessage, HumanMessage
    from langchain_core.output_parsers import StrOutputParser
    from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
    from langchain_ollama import ChatOllama, OllamaEmbeddings

    store = Chroma(embedding_function=OllamaEmbeddings(model="all-minilm", base_url=address))
    for start in range(0, len(notes), 100):
        store.add_texts(notes[start:start + 100])
    retriever = store.as_retriever(search_kwargs={"k": passages})
    model = ChatOllama(model="gemma3:270m", base_url=address) | StrOutputParser()
    condense = ChatPromptTemplate.from_messages(
        [("system", CONDENSE), MessagesPlaceholder("history"), ("human", "{question}")]) | model
    answer = ChatPromptTemplate.from_messages(
        [("system", SYSTEM + "\n\n{context}"), MessagesPlaceholder("history"), ("human", "{question}")]) | model

    def conversation():
        history = []

        def ask(question):
            query = condense.invoke({"history": history, "question": question}) if history else question
            context = "\n\n".join(item.page_content for item in retriever.invoke(query))
            text = "".join(answer.stream({"history": history, "question": question, "context": context}))
            history.extend([HumanMessage(question), AIMessage(text)])
        return ask
    return conversation


def llama_index(address, notes, passages):
    from llama_index.core import Document, Settings, VectorStoreIndex
    from llama_index.embeddings.ollama import OllamaEmbedding
    from llama_index.llms.ollama import Ollama

    Settings.embed_model = OllamaEmbedding(model_name="all-minilm", base_url=address, embed_batch_size=100)
    Settings.llm = Ollama(model="gemma3:270m", base_url=address, request_timeout=300, context_window=8192)
    index = VectorStoreIndex.from_documents([Document(text=note) for note in notes])

    def conversation():
        engine = index.as_chat_engine(chat_mode="condense_plus_context", similarity_top_k=passages, system_prompt=SYSTEM)

        def ask(question):
            for _ in engine.stream_chat(question).response_gen:
                pass
        return ask
    return conversation


def main():
    kind, address, file, passages = sys.argv[1:]
    with open(file) as lines:
        notes = [json.loads(line)["content"] for line in lines]
    begin = {"langchain": langchain, "llama-index": llama_index}[kind](address, notes, int(passages))
    print("ready", flush=True)
    ask = None
    for line in sys.stdin:
        question = json.loads(line)
        if question is None:
            ask = begin()
        else:
            ask(question)
        print("done", flush=True)


if __name__ == "__main__":
    main()
